"""Plays the Security Token Service of AWS, and asks it with boto3, whose credentials come from `authstate aws-credential`.

usage: sts.py AUTHSTATE STATE ISSUER [REFUSE]

Prints one JSON object: the form that authstate sent, with the claims of its token, and what boto3 got. With REFUSE the service
refuses the token.
"""
import base64
import http.server
import json
import os
import shlex
import sys
import tempfile
import threading
import urllib.parse

authstate, state, issuer = sys.argv[1:4]
refuses = len(sys.argv) > 4
seen = {}
ASSUMED = """<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
<AccessKeyId>ASIATESTKEY</AccessKeyId><SecretAccessKey>test/secret+key</SecretAccessKey><SessionToken>session/token==</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>"""
REFUSED = """<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>Not authorized to perform
sts:AssumeRoleWithWebIdentity</Message></Error></ErrorResponse>"""
IDENTITY = """<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:sts::123456789012:assumed-role/reader/authstate</Arn>
<UserId>A</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"""


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        status, text = 200, IDENTITY
        if form["Action"] == "AssumeRoleWithWebIdentity":
            claims = form.pop("WebIdentityToken").split(".")[1]
            form["claims"] = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
            seen["assumed"] = form
            status, text = (403, REFUSED) if refuses else (200, ASSUMED)
        else:
            seen["key"] = "Credential=ASIATESTKEY/" in self.headers["Authorization"]
            seen["session"] = self.headers["X-Amz-Security-Token"]
        self.send_response(status)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
threading.Thread(target=server.serve_forever, daemon=True).start()
endpoint = f"http://127.0.0.1:{server.server_port}/"
with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/config", "w") as file:
        file.write(
            f"[default]\nregion = eu-central-1\n"
            f"credential_process = {shlex.quote(authstate)} aws-credential --state {shlex.quote(state)} "
            f"--role-arn arn:aws:iam::123456789012:role/reader --endpoint {endpoint}\n")
    os.environ["AWS_CONFIG_FILE"] = f"{folder}/config"
    import boto3
    try:
        seen["arn"] = boto3.client("sts", endpoint_url=endpoint).get_caller_identity()["Arn"]
    except Exception as error:
        seen["error"] = str(error)
print(json.dumps(seen))
