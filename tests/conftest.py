"""No test leaves the machine, and none sees another's workspace."""

import ipaddress
import os
import socket

import pytest
from hypothesis import settings

# A slow machine is no failure, and CI tries the same examples each time.
settings.register_profile("calm", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("calm")

_connect = socket.socket.connect


def _loopback_only(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6):
        host = address[0]
        if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
            raise AssertionError(f"a test wanted to reach {host}")
    return _connect(self, address)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", _loopback_only)


@pytest.fixture(autouse=True)
def _own_workspace(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("CAPITAL_KIT_HOME", str(tmp_path_factory.mktemp("workspace")))


@pytest.fixture(params=["zh", "en"])
def language(request):
    """Run the test in both output languages."""
    from capital_kit import options

    with options.override(language=request.param):
        yield request.param
