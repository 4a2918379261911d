"""django-oauth-toolkit as an OpenID Provider: settings, URLs and server in one file.

usage: op.py PORT STATE_FOLDER      issuer http://127.0.0.1:PORT/o
ACCESS_TOKEN_SECONDS: lifetime of access tokens (default 3600)
ID_TOKEN_SECONDS: lifetime of ID tokens (default 36000)
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
BASE = f"http://127.0.0.1:{PORT}"
SIGNING_KEY = rsa.generate_private_key(65537, 2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()

PAGE = """<!doctype html><html lang="en"><head><title>{% block title %}Provider{% endblock %}</title></head>
<body>{% block content %}{% endblock %}</body></html>"""
LOGIN_PAGE = """{% extends "oauth2_provider/base.html" %}{% block title %}Log in{% endblock %}
{% block content %}<h1>Log in</h1><form method="post">{% csrf_token %}{{ form.errors }}{{ form.as_p }}
<button>Log in</button></form>{% endblock %}"""

# Immediate transactions and a busy timeout: requests in parallel must wait for each other, not fail.
DATABASE = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": f"{STATE}/db",
    "OPTIONS": {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
    },
}
TEMPLATES = {
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "OPTIONS": {
        "context_processors": [
            "django.template.context_processors.request",
            "django.contrib.auth.context_processors.auth",
        ],
        "loaders": [
            ("django.template.loaders.locmem.Loader", {
                "registration/login.html": LOGIN_PAGE,
                "oauth2_provider/base.html": PAGE,
            }),
            "django.template.loaders.app_directories.Loader",
        ],
    },
}
PROVIDER = {
    "OIDC_ENABLED": True,
    "OIDC_ISS_ENDPOINT": f"{BASE}/o",
    "OIDC_RSA_PRIVATE_KEY": SIGNING_KEY,
    "OAUTH2_VALIDATOR_CLASS": f"{__name__}.Validator",
    "SCOPES": {name: name for name in ("openid", "profile", "email", "offline_access")},
    "DEFAULT_SCOPES": ["openid"],
    "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https", "com.example.app"],
    "PKCE_REQUIRED": True,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "ACCESS_TOKEN_EXPIRE_SECONDS": int(os.environ.get("ACCESS_TOKEN_SECONDS", "3600")),
    "ID_TOKEN_EXPIRE_SECONDS": int(os.environ.get("ID_TOKEN_SECONDS", "36000")),
    "REFRESH_TOKEN_EXPIRE_SECONDS": 1209600,
    "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
    "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
    "OAUTH_DEVICE_VERIFICATION_URI": f"{BASE}/o/device/",
    "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{BASE}/o/device/?user_code={code}",
    "DEVICE_FLOW_INTERVAL": 1,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
}
settings.configure(
    DEBUG=False,
    SECRET_KEY="for tests only",
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    USE_TZ=True,
    ROOT_URLCONF=__name__,
    DATABASES={"default": DATABASE},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # fast: tests log in often
    LOGIN_URL="/accounts/login/",
    LOGIN_REDIRECT_URL="/",
    TEMPLATES=[TEMPLATES],
    LOGGING={
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"console": {"class": "logging.StreamHandler"}},
        "root": {"handlers": ["console"], "level": "WARNING"},
    },
    OAUTH2_PROVIDER=PROVIDER,
)
django.setup()

# The imports that follow need a Django that is set up.
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402
from oauth2_provider.urls import metadata_urlpatterns  # noqa: E402

import seed  # noqa: E402


class Validator(OAuth2Validator):
    oidc_claim_scope = OAuth2Validator.oidc_claim_scope | {"email_verified": "email"}

    def get_additional_claims(self):
        return {
            "name": lambda request: request.user.get_full_name(),
            "given_name": lambda request: request.user.first_name,
            "family_name": lambda request: request.user.last_name,
            "preferred_username": lambda request: request.user.username,
            "email": lambda request: request.user.email,
            "email_verified": lambda request: True,
        }

    # oauthlib leaves prompt=none to the deployment, and answers 500 without these two: no user is logged in silently.
    def validate_silent_login(self, request):
        return False

    def validate_silent_authorization(self, request):
        return False


urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("accounts/login/", LoginView.as_view()),
    # RFC 8414 puts the metadata of an issuer with a path at the root of the host.
    path("", include((metadata_urlpatterns, "root_metadata"))),
]


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 64


class RequestHandler(WSGIRequestHandler):
    def log_message(self, format, *arguments):
        """Logs method, path and status; the query may hold codes."""
        print(self.command, self.path.partition("?")[0], *arguments[1:2], flush=True)


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    seed.add_user_and_clients()
    server = Server(("127.0.0.1", PORT), RequestHandler)
    server.set_app(get_wsgi_application())
    server.serve_forever()
