"""The worked example of the plugin's proposal as trace lines: 1500 events at once, and 500 more a second later."""
import json

for i in range(2000):
    line = {"time": 1795176000000000000 + (0 if i < 1500 else 1000000000), "id": f"event-{i}", "user": "system:node:n1",
            "groups": ["system:nodes"], "method": "POST", "uri": "/api/v1/namespaces/default/events", "execution": "5ms"}
    print(json.dumps(line))
