"""Settings of a site whose people sign in to clients by django-allauth, for the comparisons of authorization servers.

They begin with the settings of the system tests, which must be on PYTHONPATH. PROVIDER_FOLDER is the folder of the
database and of key.pem.
"""

import os

from allauth_settings import *  # noqa: F403
from allauth_settings import DATABASES, FOLDER

DEBUG = False
# Writes wait for each other, instead of failing.
DATABASES["default"]["OPTIONS"] = {
    "timeout": 60, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL"}
# A refresh deletes a token and adds two, which a killed server must not do by half.
DATABASES["default"]["ATOMIC_REQUESTS"] = True
# Codes wait in the cache, which the workers share.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
                      "LOCATION": os.path.join(FOLDER, "cache"), "OPTIONS": {"MAX_ENTRIES": 100_000}}}
IDP_OIDC_ROTATE_REFRESH_TOKEN = True
IDP_OIDC_RATE_LIMITS = False
IDP_OIDC_INTROSPECTION_ENABLED = True
IDP_OIDC_INTROSPECTION_CROSS_CLIENT_ALLOWED = True
