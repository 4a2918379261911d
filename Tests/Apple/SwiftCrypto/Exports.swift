@_exported import Crypto
@_exported import CryptoExtras
