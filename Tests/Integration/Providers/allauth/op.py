"""django-allauth as an OpenID Provider, with its own pages: settings, URLs and server in one file.

usage: op.py PORT STATE_FOLDER      issuer http://127.0.0.1:PORT
ACCESS_TOKEN_SECONDS: lifetime of access tokens (default 3600)
"""
import os
import socketserver
import sys
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

PORT, STATE = int(sys.argv[1]), sys.argv[2]
SIGNING_KEY = rsa.generate_private_key(65537, 2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()

settings.configure(
    DEBUG=False,
    SECRET_KEY="for tests only",
    ALLOWED_HOSTS=["127.0.0.1"],
    USE_TZ=True,
    ROOT_URLCONF=__name__,
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": f"{STATE}/db",
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA synchronous=OFF"},
    }},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
        "allauth", "allauth.account", "allauth.idp.oidc",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    LOGIN_REDIRECT_URL="/",
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
        ]},
    }],
    LOGGING={
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"console": {"class": "logging.StreamHandler"}},
        "root": {"handlers": ["console"], "level": "WARNING"},
    },
    ACCOUNT_RATE_LIMITS=False,
    IDP_OIDC_RATE_LIMITS=False,
    IDP_OIDC_PRIVATE_KEY=SIGNING_KEY,
    IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN=int(os.environ.get("ACCESS_TOKEN_SECONDS", "3600")),
    IDP_OIDC_DCR_ENABLED=True,
    IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN=False,
)
django.setup()

# The imports that follow need a Django that is set up.
from allauth.account.models import EmailAddress  # noqa: E402
from allauth.idp.oidc.models import Client  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402

urlpatterns = [path("accounts/", include("allauth.urls")), path("", include("allauth.idp.urls"))]


def add_user_and_client():
    user = User.objects.create_user("alice", "alice@example.test", "password", first_name="Alice", last_name="Doe")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client = Client(id="public", name="public", type=Client.Type.PUBLIC)
    client.set_redirect_uris(["http://127.0.0.1/callback"])
    client.set_post_logout_redirect_uris(["http://127.0.0.1/callback"])
    client.set_scopes(["openid", "profile", "email"])
    client.set_grant_types([Client.GrantType.AUTHORIZATION_CODE, Client.GrantType.REFRESH_TOKEN])
    client.save()


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class RequestHandler(WSGIRequestHandler):
    def log_message(self, format, *arguments):
        """Logs method, path and status; the query may hold codes."""
        print(self.command, self.path.partition("?")[0], *arguments[1:2], flush=True)


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    add_user_and_client()
    server = Server(("127.0.0.1", PORT), RequestHandler)
    server.set_app(get_wsgi_application())
    server.serve_forever()
