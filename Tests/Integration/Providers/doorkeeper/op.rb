# Doorkeeper as an OpenID Provider: settings, database, routes, pages and server in one file.
#
# usage: op.rb PORT STATE_FOLDER      issuer http://127.0.0.1:PORT
# ACCESS_TOKEN_SECONDS: lifetime of access tokens (default 3600)
# REFRESH_TOKEN_REUSE=1: a refresh token is revoked when the access token that followed it is first used, not at once
ENV["RAILS_ENV"] = "production"
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"
require "doorkeeper"
require "doorkeeper/openid_connect"
require "puma"
require "puma/server"

PORT, STATE = ARGV
BASE = "http://127.0.0.1:#{PORT}".freeze
SIGNING_KEY = OpenSSL::PKey::RSA.generate(2048).to_pem
ACCESS_TOKEN_SECONDS = Integer(ENV.fetch("ACCESS_TOKEN_SECONDS", "3600"))
CALLBACKS = %w[
  http://127.0.0.1/callback http://[::1]/callback com.example.app:/callback https://app.example.test/callback
].join("\n").freeze

ENV["DATABASE_URL"] = "sqlite3:#{STATE}/db?pool=64&timeout=20000"

class Provider < Rails::Application
  config.root = STATE
  config.eager_load = false
  config.public_file_server.enabled = false
  config.allow_concurrency = false # one request at a time: SQLite refuses writers that wait for each other
  config.secret_key_base = "for tests only"
  config.hosts.clear
  config.logger = ActiveSupport::Logger.new($stderr)
  config.log_level = :warn
  config.consider_all_requests_local = false
end

class User < ActiveRecord::Base; end

Doorkeeper.configure do
  orm :active_record
  resource_owner_authenticator do
    User.find_by(id: session[:user]) || redirect_to("/login?#{{ back: request.fullpath }.to_query}")
  end
  grant_flows %w[authorization_code client_credentials]
  default_scopes :openid
  optional_scopes :profile, :email, :offline_access
  enforce_configured_scopes
  use_refresh_token
  access_token_expires_in ACCESS_TOKEN_SECONDS
  force_ssl_in_redirect_uri false
  allow_blank_redirect_uri true
end

Doorkeeper::OpenidConnect.configure do
  issuer BASE
  protocol { :http }
  signing_key SIGNING_KEY
  expiration 600
  subject { |user, _application| "user-#{user.id}" }
  resource_owner_from_access_token { |token| User.find_by(id: token.resource_owner_id) }
  auth_time_from_resource_owner { |user| user.signed_in_at }
  reauthenticate_resource_owner do |_user, back|
    session.delete(:user)
    redirect_to "/login?#{{ back: back }.to_query}"
  end
  select_account_for_resource_owner do |_user, back|
    redirect_to "/login?#{{ back: back }.to_query}"
  end
  claims do
    normal_claim(:name, scope: :profile) { |user| "#{user.name.capitalize} Doe" }
    normal_claim(:preferred_username, scope: :profile) { |user| user.name }
    normal_claim(:email, scope: :email) { |user| "#{user.name}@example.test" }
    normal_claim(:email_verified, scope: :email) { |_user| true }
  end
end

class LoginController < ActionController::Base
  PAGE = <<~ERB.freeze
    <!doctype html><html lang="en"><title>Log in</title><h1>Log in</h1>
    <%= form_tag("/login", method: :post) do %>
      <%= hidden_field_tag :back, params[:back] %>
      <%= text_field_tag :username %> <%= password_field_tag :password %> <%= submit_tag "Log in" %>
    <% end %></html>
  ERB

  def new
    render inline: PAGE
  end

  def create
    user = User.find_by(name: params[:username]) if params[:password] == "password"
    return render inline: PAGE, status: :unauthorized unless user

    user.update!(signed_in_at: Time.now)
    session[:user] = user.id
    # A path of our own, never another host's.
    redirect_to "/#{params[:back].delete_prefix("/")}"
  end
end

# Doorkeeper's own page for consent forgets `nonce`; its manual tells deployments to add the field, and many do not. Here
# the field is added for all clients but `forgetful`.
module ConsentWithNonce
  def render(*arguments, **options)
    super
    return unless arguments.first == :new && params[:nonce].present? && params[:client_id] != "forgetful"

    field = view_context.hidden_field_tag(:nonce, params[:nonce], id: nil)
    response.body = response.body.gsub("</form>", "#{field}</form>")
  end
end

# Logs method, path and status; the query may hold codes.
class RequestLog
  def initialize(application)
    @application = application
  end

  def call(environment)
    @application.call(environment).tap do |status, *|
      puts "#{environment["REQUEST_METHOD"]} #{environment["PATH_INFO"]} #{status}"
    end
  end
end

def create_tables
  ActiveRecord::Migration.verbose = false
  ActiveRecord::Schema.define do
    create_table(:users) do |t|
      t.string :name, null: false
      t.datetime :signed_in_at
    end
    create_table(:oauth_applications) do |t|
      t.string :name, null: false
      t.string :uid, null: false, index: { unique: true }
      t.string :secret, null: false
      t.text :redirect_uri
      t.string :scopes, null: false, default: ""
      t.boolean :confidential, null: false, default: true
      t.timestamps null: false
    end
    create_table(:oauth_access_grants) do |t|
      t.references :resource_owner, null: false
      t.references :application, null: false
      t.string :token, null: false, index: { unique: true }
      t.integer :expires_in, null: false
      t.text :redirect_uri, null: false
      t.datetime :created_at, null: false
      t.datetime :revoked_at
      t.string :scopes, null: false, default: ""
      t.string :code_challenge
      t.string :code_challenge_method
    end
    create_table(:oauth_access_tokens) do |t|
      t.references :resource_owner
      t.references :application, null: false
      t.string :token, null: false, index: { unique: true }
      t.string :refresh_token, index: { unique: true }
      t.integer :expires_in
      t.datetime :revoked_at
      t.datetime :created_at, null: false
      t.string :scopes
      # With this column Doorkeeper keeps the old refresh token until the new access token is used.
      t.string :previous_refresh_token, null: false, default: "" if ENV["REFRESH_TOKEN_REUSE"] == "1"
    end
    create_table(:oauth_openid_requests) do |t|
      t.references :access_grant, null: false
      t.string :nonce, null: false
    end
  end
end

def add_users_and_clients
  %w[alice bob].each { |name| User.create!(name: name) }
  scopes = "openid profile email offline_access"
  clients = { "public" => nil, "forgetful" => nil, "basic" => "s3cret", "odd" => "p@ss:w%rd+/=", "machine" => "s3cret" }
  clients.each do |name, secret|
    Doorkeeper::Application.create!(
      name: name, uid: name, secret: secret || "unused", confidential: !secret.nil?, scopes: scopes,
      redirect_uri: name == "machine" ? nil : CALLBACKS
    )
  end
end

$stdout.sync = true
Provider.initialize!
Rails.application.routes.draw do
  use_doorkeeper
  use_doorkeeper_openid_connect
  get "/login", to: "login#new"
  post "/login", to: "login#create"
  root to: "login#new"
end
Doorkeeper::AuthorizationsController.prepend(ConsentWithNonce)
create_tables
add_users_and_clients

server = Puma::Server.new(RequestLog.new(Rails.application), Puma::Events.stdio, min_threads: 1, max_threads: 16)
server.add_tcp_listener("127.0.0.1", Integer(PORT))
%w[TERM INT].each { |signal| trap(signal) { exit!(0) } }
server.run.join
