"""An agent in Python, without a client library: the events of Anthropic's API go over a WebSocket as they come, and what
comes back goes to the model.

Run it beside a service (`npm start`), with `pip install httpx websockets`:
    ANTHROPIC_API_KEY=... python3 examples/agent.py "Write a poem and count its words."
It also takes ANTHROPIC_BASE_URL, MODEL, TOOLEXEC_URL and TOOLEXEC_KEY.
"""

import asyncio
import json
import os
import sys

import httpx
import websockets

ANTHROPIC = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
MODEL = os.environ.get("MODEL", "claude-sonnet-5-5")
TOOLEXEC = os.environ.get("TOOLEXEC_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("TOOLEXEC_KEY")
HEADERS = {"authorization": f"Bearer {KEY}"} if KEY else {}


async def run(http: httpx.AsyncClient, socket, tools: list, messages: list) -> list:
    """Asks the model once, and pipes its answer into the session. Returns the results of its calls."""
    body = {"model": MODEL, "max_tokens": 4096, "stream": True, "tools": tools, "messages": messages}
    key = {"x-api-key": os.environ.get("ANTHROPIC_API_KEY", "none"), "anthropic-version": "2023-06-01"}
    content: list = []
    async with http.stream("POST", f"{ANTHROPIC}/v1/messages", json=body, headers=key) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if line.startswith("data: {"):
                await socket.send(line.removeprefix("data: "))
                collect(content, json.loads(line.removeprefix("data: ")))
    messages.append({"role": "assistant", "content": content})
    async for text in socket:
        event = json.loads(text)
        if event["type"] == "error":
            raise RuntimeError(event["problem"]["detail"])
        if event["type"] == "turn_completed":
            return event["messages"]
    raise RuntimeError("The service closed the socket: connect again with ?after=<seq> of the last event.")


def collect(content: list, event: dict) -> None:
    """Puts the pieces of the model's answer together, for the conversation."""
    if event["type"] == "content_block_start":
        content.append({**event["content_block"], "json": ""})
    elif event["type"] == "content_block_delta":
        block, delta = content[event["index"]], event["delta"]
        if delta["type"] == "input_json_delta":
            block["json"] += delta["partial_json"]
        elif delta["type"] == "text_delta":
            block["text"] += delta["text"]
            print(delta["text"])
    elif event["type"] == "content_block_stop":
        text = content[event["index"]].pop("json")
        if text:
            content[event["index"]]["input"] = json.loads(text)


async def main() -> None:
    messages = [{"role": "user", "content": sys.argv[1] if len(sys.argv) > 1 else "Write a poem and count its words."}]
    options = {"permissions": {"mode": "acceptEdits", "allow": ["Bash(wc:*)"], "ask_timeout_ms": 0}}
    async with httpx.AsyncClient(timeout=120) as http:
        made = await http.post(f"{TOOLEXEC}/v1/sessions", json=options, headers=HEADERS)
        session = f"{TOOLEXEC}/v1/sessions/{made.raise_for_status().json()['id']}"
        tools = (await http.get(f"{session}/tools", headers=HEADERS)).raise_for_status().json()["tools"]
        address = f"{session}/stream".replace("http", "ws", 1)
        async with websockets.connect(address, subprotocols=["toolexec.v1"], additional_headers=HEADERS, max_size=None) as socket:
            while results := await run(http, socket, tools, messages):
                messages += results
        await http.delete(session, headers=HEADERS)


asyncio.run(main())
