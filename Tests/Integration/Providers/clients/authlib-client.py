"""Logs in at `authstate provider --automatic` with Authlib: code flow with PKCE, the ID token, the API, a renewal.

usage: authlib-client.py ISSUER
"""
import json
import os
import sys

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import jwt

metadata = requests.get(f"{sys.argv[1]}/.well-known/openid-configuration").json()
verifier, nonce = generate_token(48), generate_token(16)
client = OAuth2Session(
    "app", scope="openid profile offline_access", redirect_uri="http://127.0.0.1:8000/callback",
    token_endpoint_auth_method="none", code_challenge_method="S256", token_endpoint=metadata["token_endpoint"])
url, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
answer = requests.get(url, allow_redirects=False).headers["Location"]
token = client.fetch_token(metadata["token_endpoint"], authorization_response=answer, state=state, code_verifier=verifier)
claims = jwt.decode(
    token["id_token"], requests.get(metadata["jwks_uri"]).json(),
    claims_options={"iss": {"value": metadata["issuer"]}, "aud": {"value": "app"}, "nonce": {"value": nonce}})
claims.validate()
answer = client.get(f"{sys.argv[1]}/api/hello").json()
first = token["access_token"]
renewed = client.refresh_token(metadata["token_endpoint"])
print(json.dumps({"sub": claims["sub"], "message": answer["message"], "renewed": renewed["access_token"] != first}))
