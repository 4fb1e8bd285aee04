"""Controls `escapement run SIM --control PORT` from Python: pause, step, seek, speed, telemetry.

Needs websocket-client (pip install websocket-client, Debian: python3-websocket).
Usage: python3 control.py ws://127.0.0.1:7070/ TOKEN
"""
import itertools
import json
import sys

import websocket


class Control:
    def __init__(self, url, token):
        self.ids = itertools.count(1)
        self.socket = websocket.create_connection(
            url, timeout=10, subprotocols=["escapement.control.1"],
            header=["Authorization: Bearer " + token])

    def __call__(self, verb, **fields):
        request = next(self.ids)
        self.socket.send(json.dumps({"id": request, "verb": verb, **fields}))
        while (message := json.loads(self.socket.recv())).get("id") != request:
            print(message["event"], message.get("values"))
        if not message["ok"]:
            raise RuntimeError(message["error"])
        return message["result"]


control = Control(*sys.argv[1:3])
control("pause")
print("five more:", control("step", count=5))
print("configured:", control("configure", fixedDt=0.01, mode="paused"))
control("seek", tick=1000)
print("sought:", control("get", keys=["sim.tick", "sim.time", "sim.fixed_dt"])["values"])
control("set", values={"sim.speed": 2, "sim.mode": "live", "sim.paused": False})
control("telemetry", keys=["sim.tick", "sim.realized_speed"], rateHz=10)
print("reached:", control("waitTick", tick=1100, timeoutMs=5000))
print("status:", control("status"))
