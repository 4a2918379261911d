"""Lists what the program is made of, as SPDX 2.3 in JSON.

usage: bill.py VERSION PACKAGE.RESOLVED PROGRAM
"""
import datetime
import hashlib
import json
import os
import subprocess
import sys

version, resolved, program = sys.argv[1:]
swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
with open(program, "rb") as file:
    digest = hashlib.sha256(file.read()).hexdigest()


def package(name, version, location="NOASSERTION"):
    return {
        "SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version, "downloadLocation": location,
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
    }


packages = [{**package("authstate", version), "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}]
packages += [package("AuthStateKit", version), package("Swift", swift, "https://swift.org")]
with open(resolved) as file:
    for pin in json.load(file)["pins"]:
        packages.append(package(pin["identity"], pin["state"].get("version", pin["state"]["revision"]), pin["location"]))
json.dump({
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"authstate-{version}",
    "documentNamespace": f"urn:sha256:{digest}",
    "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: Examples/CLI/Package/build.sh"]},
    "packages": packages,
    "relationships": [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-authstate"},
        *({"spdxElementId": "SPDXRef-authstate", "relationshipType": "CONTAINS", "relatedSpdxElement": part["SPDXID"]}
          for part in packages[1:]),
    ],
}, sys.stdout, indent=1)
