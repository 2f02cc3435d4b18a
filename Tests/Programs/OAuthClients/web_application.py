"""A web application that signs people in with a library that knows nothing of the server, and prints `application on PORT`.

web_application.py django|flask ISSUER CLIENT SECRET

`/` begins a sign-in, and shows the person's e-mail address after it.
"""

import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

import requests


def django_application(server, client, secret):
    """mozilla-django-oidc. Its redirect address is /oidc/callback/."""
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse, HttpResponseRedirect
    from django.urls import include, path

    def home(request):
        if not request.user.is_authenticated:
            return HttpResponseRedirect("/oidc/authenticate/")
        return HttpResponse("signed in as " + request.user.email)

    class Addresses:
        urlpatterns = []

    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="a key for this test only", ROOT_URLCONF=Addresses,
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
        LOGIN_REDIRECT_URL="/", OIDC_RP_CLIENT_ID=client, OIDC_RP_CLIENT_SECRET=secret, OIDC_RP_SIGN_ALGO="ES256",
        OIDC_USE_PKCE=True, OIDC_OP_AUTHORIZATION_ENDPOINT=server["authorization_endpoint"],
        OIDC_OP_TOKEN_ENDPOINT=server["token_endpoint"], OIDC_OP_USER_ENDPOINT=server["userinfo_endpoint"],
        OIDC_OP_JWKS_ENDPOINT=server["jwks_uri"])
    django.setup()
    # The addresses of the library need the settings.
    Addresses.urlpatterns = [path("", home), path("oidc/", include("mozilla_django_oidc.urls"))]
    call_command("migrate", verbosity=0)
    return get_wsgi_application()


def flask_application(server, client, secret):
    """Flask-OIDC. Its redirect address is /authorize."""
    from flask import Flask, session
    from flask_oidc import OpenIDConnect

    app = Flask(__name__)
    app.config.update(
        SECRET_KEY="a key for this test only",
        OIDC_CLIENT_SECRETS={"web": {"client_id": client, "client_secret": secret, "issuer": server["issuer"]}})
    oidc = OpenIDConnect(app)
    # The library has no setting for PKCE, but Authlib below it does.
    oidc.oauth.oidc.client_kwargs["code_challenge_method"] = "S256"

    @app.route("/")
    @oidc.require_login
    def home():
        return "signed in as " + session["oidc_auth_profile"]["email"]

    return app


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


KINDS = {"django": django_application, "flask": flask_application}
kind, issuer, client, secret = sys.argv[1:]
application = KINDS[kind](requests.get(issuer + "/.well-known/openid-configuration").json(), client, secret)
with make_server("127.0.0.1", 0, application, handler_class=Quiet) as httpd:
    print("application on", httpd.server_port, flush=True)
    httpd.serve_forever()
