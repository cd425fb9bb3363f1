# SPDX-License-Identifier: Apache-2.0
"""A real HTTPS server that takes posts: webhook_server.py CERTIFICATE KEY RECORD [STATUS...]

Prints its port on the first line. Appends each post to RECORD as a JSON line {path, body, type} and answers
with the next STATUS, then with 200, until its input ends.
"""
import http.server
import json
import ssl
import sys
import threading

statuses = [int(word) for word in sys.argv[4:]]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        with open(sys.argv[3], "a", encoding="utf-8") as record:
            record.write(json.dumps({"path": self.path, "body": body,
                                     "type": self.headers.get("Content-Type")}) + "\n")
        self.send_response(statuses.pop(0) if statuses else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
