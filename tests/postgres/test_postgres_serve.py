"""`serve` on a database: many requests in flight on several sessions, and the database killed meanwhile."""

import random
import subprocess
from collections import defaultdict

import orjson

import postgres_server
from codeh_history.store import postgres
from postgres_server import Program

pytestmark = postgres_server.needed
SESSIONS, REQUESTS = 8, 64
KILLED_AFTER = 4  # answers


def asked(number):
    words = ("append", "-s", f"s{number % SESSIONS}", "-m", f"text {number}", "--key", f"k{number}")
    return orjson.dumps({"id": number, "argv": words}) + b"\n"


def test_a_killed_database_costs_no_answer_and_no_record(mortal, tmp_path):
    url = mortal.database(f"a{random.getrandbits(60)}")
    run = Program(tmp_path / "home", url)
    serving = subprocess.Popen([run._program, "serve"], env=run.environ(), stdin=-1, stdout=-1, stderr=-3)

    def answers(numbers, killed_after=None):
        serving.stdin.write(b"".join(map(asked, numbers)))
        serving.stdin.flush()
        found = {}
        while len(found) < len(numbers):
            answer = orjson.loads(serving.stdout.readline())
            found[answer["id"]] = answer
            if len(found) == killed_after:
                mortal.kill()
        return found

    first = answers([*range(REQUESTS)], KILLED_AFTER)
    assert {answer["code"] for answer in first.values()} <= {0, 75}
    lost = [number for number, answer in first.items() if answer["code"]]
    mortal.start()
    again = answers(sorted(lost))
    assert {answer["code"] for answer in again.values()} <= {0}, again
    print(f"{len(lost)} of {REQUESTS} were asked again")
    serving.stdin.close()
    assert serving.wait(60) == 0
    stored = defaultdict(list)
    store = postgres.named(url)
    for session in store.stamps():
        stored[session] = [orjson.loads(line) for line in store.read(session).splitlines()[1:]]
    assert [len(messages) for messages in stored.values()] == [REQUESTS // SESSIONS] * SESSIONS
    ids = {number: answer["stdout"].strip() for number, answer in (first | again).items()}
    for number in range(REQUESTS):
        messages = stored[f"s{number % SESSIONS}"]
        assert [m["id"] for m in messages if m["key"] == f"k{number}"] == [ids[number]]
