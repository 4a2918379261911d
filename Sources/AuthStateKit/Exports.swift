// The types that a program names which logs in and calls APIs: with `import AuthStateKit` it has these and the core's own,
// a hundred in all. What the author of a store, a transport, a user agent or a backend of cryptography names beside them is
// in the module of that part, and the products for servers, apps and resources pass on what their programs name.
@_exported public import enum AuthStateJOSE.JSONValue
@_exported public import struct AuthStateJOSE.JSONWebKey
@_exported public import struct AuthStateJOSE.JSONWebKeySet
@_exported public import struct AuthStateJOSE.JSONWebToken
@_exported public import struct AuthStateJOSE.SignatureAlgorithm
@_exported public import struct AuthStateJOSE.SigningKey

@_exported public import struct AuthStateOAuth.AssertionGrant
@_exported public import struct AuthStateOAuth.AuthStateError
@_exported public import struct AuthStateOAuth.AuthenticationChallenge
@_exported public import struct AuthStateOAuth.AuthorizationCallback
@_exported public import struct AuthStateOAuth.AuthorizationDetail
@_exported public import struct AuthStateOAuth.AuthorizationPrompt
@_exported public import struct AuthStateOAuth.AuthorizationRequest
@_exported public import struct AuthStateOAuth.AuthorizationResponse
@_exported public import struct AuthStateOAuth.BackchannelAuthenticationRequest
@_exported public import struct AuthStateOAuth.BackchannelAuthenticationResponse
@_exported public import struct AuthStateOAuth.ClaimsRequest
@_exported public import struct AuthStateOAuth.Client
@_exported public import struct AuthStateOAuth.ClientAuthenticationMethod
@_exported public import struct AuthStateOAuth.ClientCredential
@_exported public import struct AuthStateOAuth.ClientMetadata
@_exported public import struct AuthStateOAuth.DPoPKey
@_exported public import struct AuthStateOAuth.DeviceAuthorizationRequest
@_exported public import struct AuthStateOAuth.DeviceAuthorizationResponse
@_exported public import struct AuthStateOAuth.EndSessionRequest
@_exported public import struct AuthStateOAuth.GrantType
@_exported public import struct AuthStateOAuth.IDToken
@_exported public import struct AuthStateOAuth.IDTokenPolicy
@_exported public import struct AuthStateOAuth.IntrospectionRequest
@_exported public import struct AuthStateOAuth.IntrospectionResponse
@_exported public import struct AuthStateOAuth.Issuer
@_exported public import struct AuthStateOAuth.IssuerAllowList
@_exported public import struct AuthStateOAuth.JWTBearerGrant
@_exported public import struct AuthStateOAuth.KnownProvider
@_exported public import struct AuthStateOAuth.NamedClient
@_exported public import enum AuthStateOAuth.NamedProvider
@_exported public import struct AuthStateOAuth.Parameters
@_exported public import struct AuthStateOAuth.PendingAuthorization
@_exported public import struct AuthStateOAuth.PendingLogout
@_exported public import struct AuthStateOAuth.ProviderConfiguration
@_exported public import struct AuthStateOAuth.ProviderMetadata
@_exported public import struct AuthStateOAuth.RecognizedFailure
@_exported public import struct AuthStateOAuth.RedirectURI
@_exported public import struct AuthStateOAuth.RegistrationRequest
@_exported public import struct AuthStateOAuth.RegistrationResponse
@_exported public import struct AuthStateOAuth.RevocationRequest
@_exported public import struct AuthStateOAuth.Scope
@_exported public import struct AuthStateOAuth.TokenExchange
@_exported public import struct AuthStateOAuth.TokenRequest
@_exported public import struct AuthStateOAuth.TokenResponse
@_exported public import struct AuthStateOAuth.TokenTypeHint
@_exported public import struct AuthStateOAuth.Tolerance
@_exported public import struct AuthStateOAuth.TransportHeaders
@_exported public import struct AuthStateOAuth.TransportRequest
@_exported public import struct AuthStateOAuth.TransportResponse
@_exported public import struct AuthStateOAuth.TypedToken
@_exported public import struct AuthStateOAuth.UserInfo
@_exported public import struct AuthStateOAuth.UserInfoOptions

@_exported public import struct AuthStateStorage.AuthStateKey
@_exported public import protocol AuthStateStorage.AuthStateStore
@_exported public import class AuthStateStorage.FileAuthStateStore
@_exported public import class AuthStateStorage.InMemoryAuthStateStore
@_exported public import struct AuthStateStorage.KeychainAuthStateStore
@_exported public import struct AuthStateStorage.ReadOnlyAuthStateStore
@_exported public import struct AuthStateStorage.SealedAuthStateStore
@_exported public import struct AuthStateStorage.SealingKey

@_exported public import struct AuthStateSystem.WallClock

@_exported public import protocol AuthStateTransport.HTTPTransport
@_exported public import struct AuthStateTransport.StreamedResponse
@_exported public import struct AuthStateTransport.SystemTransport
@_exported public import struct AuthStateTransport.TransportError

@_exported public import struct AuthStateUserAgent.Browser
@_exported public import protocol AuthStateUserAgent.ExternalUserAgent
@_exported public import struct AuthStateUserAgent.LoopbackPages
@_exported public import struct AuthStateUserAgent.LoopbackUserAgent
@_exported public import struct AuthStateUserAgent.PasteUserAgent
@_exported public import class AuthStateUserAgent.RedirectRouter
@_exported public import struct AuthStateUserAgent.RedirectUserAgent
@_exported public import struct AuthStateUserAgent.WebAuthenticationUserAgent

#if os(Linux)
    @_exported public import class AuthStateTransport.CurlTransport
#else
    @_exported public import class AuthStateTransport.URLSessionTransport
#endif
