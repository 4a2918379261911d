"""The user and the clients of the provider in op.py, which imports this once Django is set up."""
from django.contrib.auth.models import User
from django.db.models.signals import pre_save
from oauth2_provider.models import Application

# Loopback redirect URIs are registered without a port and match every port.
REDIRECT_URIS = [
    "http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost:8400",
    "com.example.app:/callback", "https://app.example.test/callback",
]
POST_LOGOUT_URIS = ["http://127.0.0.1/logout", "http://127.0.0.1/callback", "http://127.0.0.1:8400/logout"]


def add_client(name, grant=Application.GRANT_AUTHORIZATION_CODE, **more):
    """A client; it is confidential when it has a secret."""
    confidential = "client_secret" in more
    values = {
        "name": name,
        "client_id": name,
        "client_type": Application.CLIENT_CONFIDENTIAL if confidential else Application.CLIENT_PUBLIC,
        "authorization_grant_type": grant,
        "algorithm": Application.RS256_ALGORITHM,
        "redirect_uris": " ".join(REDIRECT_URIS),
        "post_logout_redirect_uris": " ".join(POST_LOGOUT_URIS),
    }
    Application.objects.create(**values | more)


def default_algorithm(instance, **_):
    """Registered clients get no algorithm, with which the token endpoint would answer 500 for the scope openid."""
    instance.algorithm = instance.algorithm or Application.RS256_ALGORITHM


def add_user_and_clients():
    pre_save.connect(default_algorithm, sender=Application)
    User.objects.create_user(
        "alice", "alice@example.test", "password", first_name="Alice", last_name="Doe")
    add_client("public")
    add_client("hybrid", Application.GRANT_OPENID_HYBRID)
    add_client("basic", client_secret="s3cret")
    # A secret full of characters that HTTP Basic authentication must form-encode first.
    add_client("odd", client_secret="p@ss:w%rd+/=")
    # ID tokens under HMAC: the secret has to be kept readable, and long enough.
    add_client(
        "hs256", client_secret="s3cret-s3cret-s3cret-s3cret-s3cret", hash_client_secret=False,
        algorithm=Application.HS256_ALGORITHM)
    add_client("machine", Application.GRANT_CLIENT_CREDENTIALS, client_secret="s3cret")
    add_client("device", Application.GRANT_DEVICE_CODE)
