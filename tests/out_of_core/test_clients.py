import shutil
import subprocess
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from broadlearn.out_of_core import check_address, connect, local_client

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.slow]


@pytest.mark.parametrize(
    "address",
    [
        "tcp://127.0.0.1:8786",
        "127.0.0.2:8786",
        "localhost:8786",
        "tcp://[::1]:8786",
        "tls://10.0.0.5:8786",
        "wss://host:443",
        "inproc://10.0.0.5/1/1",
    ],
)
def test_safe_addresses(address):
    check_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "tcp://10.0.0.5:8786",
        "10.0.0.5:8786",
        "ws://host:1",
        "localhost.example.org:8786",
        "tcp://127.0.0.1.example.org:8786",
        "tcp://127.0.0.1@10.0.0.5:8786",
        "",
    ],
)
def test_remote_addresses_without_tls_are_refused(address):
    with pytest.raises(ValueError, match=r"insecure=True \(--insecure\)"):
        check_address(address)
    with pytest.raises(ValueError, match="without TLS"):
        connect(address)
    check_address(address, insecure=True)


# Other tests may have left a browser's driver, a child too, that listens on the second.
LOOPBACK = {"127.0.0.1", "::1"}


def listening():
    """Addresses on which this process and its children listen."""
    psutil = pytest.importorskip("psutil")
    here = psutil.Process()
    return {
        connection.laddr.ip
        for process in (here, *here.children(recursive=True))
        for connection in process.net_connections("inet")
        if connection.status == "LISTEN"
    }


@pytest.mark.slow
def test_a_local_cluster_listens_to_this_machine_only_and_shows_nothing():
    with local_client(1) as client:
        assert len(client.nthreads()) == 1
        assert listening() <= LOOPBACK
        for page in ("status", "info/main/workers.html", "metrics", "json/index.html"):
            with pytest.raises(HTTPError, match="404") as caught:
                urlopen(client.dashboard_link.replace("status", page), timeout=10)
            caught.value.close()
        address = client.scheduler.address
        with connect(address) as other:
            assert other.submit(sum, [1, 2]).result() == 3


@pytest.mark.slow
def test_a_scheduler_is_reached_by_tls(tmp_path):
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    files = ["-subj", "/CN=127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run([*command, *files], check=True, capture_output=True)
    files = {"tls_ca_file": str(certificate)}
    for role in ("client", "scheduler", "worker"):
        files |= {f"tls_{role}_cert": str(certificate), f"tls_{role}_key": str(key)}
    security = distributed.Security(**files, require_encryption=True)
    with distributed.LocalCluster(
        n_workers=1,
        processes=False,
        protocol="tls://",
        host="127.0.0.1",
        security=security,
        dashboard_address="127.0.0.1:0",
    ) as cluster:
        assert cluster.scheduler_address.startswith("tls://")
        with connect(cluster.scheduler_address, security=security) as client:
            assert client.submit(sum, [1, 2]).result() == 3
