"""Logs in at `authstate provider --automatic` with requests-oauthlib: code flow of a client with a secret, the API, a renewal.

usage: requests-oauthlib-client.py ISSUER
"""
import base64
import hashlib
import json
import os
import secrets
import sys

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

metadata = requests.get(f"{sys.argv[1]}/.well-known/openid-configuration").json()
verifier = secrets.token_urlsafe(48)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
proof = HTTPBasicAuth("service", "service-secret")
client = OAuth2Session(
    "service", scope=["openid", "profile", "offline_access"], redirect_uri="http://127.0.0.1:8000/callback")
url, _ = client.authorization_url(
    metadata["authorization_endpoint"], code_challenge=challenge, code_challenge_method="S256")
answer = requests.get(url, allow_redirects=False).headers["Location"]
token = client.fetch_token(
    metadata["token_endpoint"], authorization_response=answer, auth=proof, code_verifier=verifier)
info = client.get(metadata["userinfo_endpoint"]).json()
answer = client.get(f"{sys.argv[1]}/api/hello").json()
renewed = client.refresh_token(metadata["token_endpoint"], auth=proof)
print(json.dumps({
    "sub": info["sub"], "message": answer["message"], "renewed": renewed["access_token"] != token["access_token"]}))
