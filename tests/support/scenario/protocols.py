"""The ways to ask a server the same thing: what it is configured with, and the client that speaks to it."""
import os
import shutil
import ssl
import subprocess
import tempfile
import threading

from . import client, http2

_lock = threading.Lock()
_certificates = None  # a folder of this run: localhost/{fullchain,privkey}.pem


def certificates():
    """A folder as CertDir names it, with one self-signed certificate for localhost. Made once, removed by remove()."""
    global _certificates
    with _lock:
        if _certificates is None:
            folder = tempfile.mkdtemp(prefix='saker-certificates-')
            os.mkdir(folder + '/localhost')
            subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                            '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1',
                            '-keyout', folder + '/localhost/privkey.pem', '-out', folder + '/localhost/fullchain.pem'],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _certificates = folder
        return _certificates


def remove():
    if _certificates is not None:
        shutil.rmtree(_certificates, ignore_errors=True)


def context(*alpn):
    made = ssl.create_default_context(cafile=certificates() + '/localhost/fullchain.pem')
    made.set_alpn_protocols(list(alpn))
    return made


def unverified():
    """For whatever certificate a server has."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    made.set_alpn_protocols(['http/1.1'])
    return made


class Protocol:
    def __init__(self, name, encrypted, make, alpn):
        self.name = name
        self.encrypted = encrypted
        self.make = make
        self.alpn = alpn

    def ports(self, port):
        """The part of the configuration that makes the server speak this at the port."""
        if not self.encrypted:
            return {'HttpPorts': [port], 'HttpsPorts': []}
        return {'HttpPorts': [], 'HttpsPorts': [port], 'CertDir': certificates()}

    def tls(self):
        """For a connection that bytes are said on; None: without TLS."""
        return context(self.alpn) if self.encrypted else None

    def client(self, port, timeout):
        return self.make(port, timeout, self.tls())

    def plays(self, path):
        """Whether a file is about this: life/ is about the process, wire/ about the bytes of HTTP/1.1."""
        return self.name == 'http1' or path.startswith('site/') or (self.name == 'https1' and path.startswith('wire/'))

    def why_not(self):
        """Why this machine cannot test it, or None."""
        if self.make is http2.Http2Client and not http2.is_there():
            return 'needs the Python package h2'
        if self.encrypted and shutil.which('openssl') is None:
            return 'needs openssl'
        return None


ALL = {protocol.name: protocol for protocol in (
    Protocol('http1', False, client.Http1Client, 'http/1.1'),
    Protocol('https1', True, client.Http1Client, 'http/1.1'),
    Protocol('h2c', False, http2.Http2Client, 'h2'),
    Protocol('h2', True, http2.Http2Client, 'h2'),
)}
