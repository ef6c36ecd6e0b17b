"""TLS by configuration: files of certificates, who they name, and what sockets are made of them.

docs/contracts/tls.md is the contract.
"""
