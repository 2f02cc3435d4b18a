"""The site of allauth_site.py: `application` for a server of WSGI.

Use: allauth_application.py PEOPLE CLIENT SECRET makes the database with that many people, one public client that
refreshes, and the client with a secret, which introspects.
"""

import os
import sys

os.environ["DJANGO_SETTINGS_MODULE"] = "allauth_site"

from django.core.wsgi import get_wsgi_application  # noqa: E402

application = get_wsgi_application()


def make(people, asker, secret):
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    for number in range(people):
        email = f"person{number}@example.org"
        user = get_user_model().objects.create_user(f"person{number}", email, os.environ["PROVIDER_PASSWORD"])
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    Client.objects.create(
        id="app", name="An app", type="public", grant_types="authorization_code\nrefresh_token", skip_consent=True,
        redirect_uris="http://127.0.0.1/callback", scopes="openid")
    reports = Client(id=asker, name="Reports", type="confidential", grant_types="client_credentials")
    reports.set_secret(secret)
    reports.save()


if __name__ == "__main__":
    make(int(sys.argv[1]), *sys.argv[2:])
