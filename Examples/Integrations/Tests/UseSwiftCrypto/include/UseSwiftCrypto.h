#pragma once

/// Chooses swift-crypto for the process; defined in Swift, by AuthStateSwiftCryptoTests.
void AuthStateUseSwiftCrypto(void);
