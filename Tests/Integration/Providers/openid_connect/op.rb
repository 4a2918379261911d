# The gem openid_connect as an OpenID Provider: clients, endpoints, pages and server in one file.
#
# usage: op.rb PORT      issuer http://127.0.0.1:PORT
# ACCESS_TOKEN_SECONDS: lifetime of access tokens (default 3600)
require "rack"
require "openid_connect"
require "puma"
require "puma/server"

PORT = Integer(ARGV[0])
BASE = "http://127.0.0.1:#{PORT}".freeze
KEY = OpenSSL::PKey::RSA.generate(2048)
SECONDS = Integer(ENV.fetch("ACCESS_TOKEN_SECONDS", "3600"))
SCOPES = %w[openid profile email].freeze
CLAIMS = {
  "profile" => { name: "Alice Doe", preferred_username: "alice" },
  "email" => { email: "alice@example.test", email_verified: true }
}.freeze
CLIENTS = { "public" => nil, "basic" => "s3cret", "odd" => "p@ss:w%rd+/=" }.freeze
REDIRECT_URI = %r{\Ahttp://127\.0\.0\.1:\d+/callback\z}.freeze

Grant = Struct.new(:client, :redirect_uri, :nonce, :challenge, :scopes, :signed_in_at)
CODES = {}
ACCESS_TOKENS = {}
REFRESH_TOKENS = {}

METADATA = OpenIDConnect::Discovery::Provider::Config::Response.new(
  issuer: BASE, authorization_endpoint: "#{BASE}/authorizations/new", token_endpoint: "#{BASE}/access_tokens",
  userinfo_endpoint: "#{BASE}/user_info", jwks_uri: "#{BASE}/jwks.json", scopes_supported: SCOPES,
  response_types_supported: ["code"], subject_types_supported: ["public"],
  grant_types_supported: %w[authorization_code refresh_token],
  id_token_signing_alg_values_supported: ["RS256"], claims_supported: %w[sub iss name email]
)

def json(value)
  [200, { "Content-Type" => "application/json" }, [value.to_json]]
end

# The page for the login, which is one for consent too.
def page(request)
  fields = request.params.map do |name, value|
    %(<input type="hidden" name="#{Rack::Utils.escape_html(name)}" value="#{Rack::Utils.escape_html(value)}">)
  end
  [200, { "Content-Type" => "text/html" }, [<<~HTML]]
    <!doctype html><html lang="en"><title>Log in</title><h1>Log in</h1><form method="post" action="/authorizations">
    #{fields.join}<input name="username"><input name="password" type="password">
    <input type="submit" name="approve" value="Allow"><input type="submit" name="deny" value="Deny"></form></html>
  HTML
end

def authorize(environment, approved)
  Rack::OAuth2::Server::Authorize.new do |request, response|
    request.bad_request! unless CLIENTS.key?(request.client_id)
    # The gem takes a list; loopback ports are free.
    own = [request.redirect_uri.to_s].grep(REDIRECT_URI)
    response.redirect_uri = uri = request.verify_redirect_uri!(own)
    request.unsupported_response_type! unless request.response_type == :code
    request.invalid_scope! unless (request.scope - SCOPES).empty?
    next unless approved
    request.access_denied! if environment["rack.request.form_hash"]["deny"]

    response.code = SecureRandom.hex(32)
    CODES[response.code] =
      Grant.new(request.client_id, uri, request.nonce, request.code_challenge, request.scope, Time.now.to_i)
    response.approve!
  end.call(environment)
end

# What a grant brings; the refresh token is a new one each time.
def tokens(grant, response)
  access, refresh = Array.new(2) { SecureRandom.hex(32) }
  ACCESS_TOKENS[access] = REFRESH_TOKENS[refresh] = grant
  response.access_token = Rack::OAuth2::AccessToken::Bearer.new(
    access_token: access, refresh_token: refresh, expires_in: SECONDS, scope: grant.scopes
  )
  access
end

def id_token(grant, access)
  now = Time.now.to_i
  OpenIDConnect::ResponseObject::IdToken.new(
    iss: BASE, sub: "alice", aud: grant.client, nonce: grant.nonce, exp: now + 600, iat: now,
    auth_time: grant.signed_in_at
  ).tap { |token| token.access_token = access }.to_jwt(JSON::JWK.new(KEY, kid: "op-1"))
end

TOKEN = Rack::OAuth2::Server::Token.new do |request, response|
  known = CLIENTS.key?(request.client_id) && CLIENTS[request.client_id] == request.client_secret
  request.invalid_client! unless known
  case request.grant_type
  when :authorization_code
    grant = CODES.delete(request.code)
    right = grant && grant.client == request.client_id && grant.redirect_uri == request.redirect_uri
    request.invalid_grant! unless right
    request.verify_code_verifier!(grant.challenge)
    access = tokens(grant, response)
    response.id_token = id_token(grant, access) if grant.scopes.include?("openid")
  when :refresh_token
    grant = REFRESH_TOKENS.delete(request.refresh_token)
    request.invalid_grant! unless grant && grant.client == request.client_id
    tokens(grant, response)
  else
    request.unsupported_grant_type!
  end
end

USER_INFO = Rack::OAuth2::Server::Resource::Bearer.new(lambda do |environment|
  grant = environment[Rack::OAuth2::Server::Resource::ACCESS_TOKEN]
  return Rack::OAuth2::Server::Resource::Bearer::Unauthorized.new.finish unless grant

  claims = CLAIMS.slice(*grant.scopes).values.reduce({ sub: "alice" }, :merge)
  json(OpenIDConnect::ResponseObject::UserInfo.new(claims))
end, "test provider") do |request|
  ACCESS_TOKENS[request.access_token] || request.invalid_token!
end

def answer(environment)
  request = Rack::Request.new(environment)
  case request.path
  when "/.well-known/openid-configuration" then json(METADATA)
  when "/jwks.json" then json(JSON::JWK::Set.new([JSON::JWK.new(KEY.public_key, use: :sig, alg: :RS256, kid: "op-1")]))
  when "/authorizations/new"
    status, headers, body = authorize(environment, false)
    status == 200 ? page(request) : [status, headers, body]
  when "/authorizations"
    return [401, {}, ["wrong name or password"]] unless request.params.values_at("username", "password") == %w[alice password]

    authorize(environment, true)
  when "/access_tokens" then TOKEN.call(environment)
  when "/user_info" then USER_INFO.call(environment)
  else [404, {}, []]
  end
rescue Rack::OAuth2::Server::Authorize::BadRequest => error
  [400, { "Content-Type" => "text/plain" }, [error.message]]
end

application = lambda do |environment|
  answer(environment).tap do |status, *|
    # The query may hold codes.
    puts "#{environment["REQUEST_METHOD"]} #{environment["PATH_INFO"]} #{status}"
  end
end

$stdout.sync = true
server = Puma::Server.new(application, Puma::Events.stdio, min_threads: 1, max_threads: 4)
server.add_tcp_listener("127.0.0.1", PORT)
%w[TERM INT].each { |signal| trap(signal) { exit!(0) } }
server.run.join
