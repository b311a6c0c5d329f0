"""A small MCP server by hand: one tool, over stdin and stdout."""
import json
import sys

TOOL = {"name": "greet", "description": "Greets somebody by name.", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}}

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        answer["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "greeter", "version": "1.0"}}
    elif method == "tools/list":
        answer["result"] = {"tools": [TOOL]}
    elif method == "tools/call" and params.get("name") == "greet":
        answer["result"] = {"content": [{"type": "text", "text": f"Hello, {params['arguments']['who']}!"}]}
    elif method == "ping":
        answer["result"] = {}
    else:
        answer["error"] = {"code": -32601, "message": f"no such method: {method}"}
    print(json.dumps(answer), flush=True)
