#!/usr/bin/env bash
# The main job with the real curl and no key: a fake provider answers as the four provider APIs do.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.venv/bin:$PATH
scratch=.demo
rm -rf "$scratch"
mkdir "$scratch"
export CODEH_HOME=$scratch/home CODEH_SESSION=demo
export CODEH_NOW=2026-01-02T03:04:05Z CODEH_ID_SEED=demo # so that it prints the same every time
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true' EXIT

python tests/helpers/fake_provider.py --port 0 --port-file "$scratch/port" --delay 0.05 &
server=$!
for _ in $(seq 100); do [ -s "$scratch/port" ] && break; sleep 0.05; done
base=http://127.0.0.1:$(cat "$scratch/port")

bold='' plain=''
[ -t 1 ] && bold=$'\033[1m' plain=$'\033[0m'
say() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
show() { printf '$ %s\n' "$*"; eval "$*"; }

declare -A url=(
  [gemini]="$base/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
  [openai-chat]="$base/v1/chat/completions"
  [openai-responses]="$base/v1/responses"
  [anthropic]="$base/v1/messages"
)
declare -A model=(
  [gemini]=gemini-2.5-flash [openai-chat]=gpt-5.1 [openai-responses]=gpt-5.1 [anthropic]=claude-opus-4-8
)
export C="curl -sSN --fail-with-body -H content-type:application/json --data-binary @-"

say "One conversation, four providers: append, payload | curl | append --from auto"
for P in gemini openai-chat openai-responses anthropic; do
  export P URL=${url[$P]} M=${model[$P]}
  printf '\n# %s: URL=%s\n' "$P" "${URL#"$base"}"
  show 'codeh-history append -q -m "What would $P say about the sky?"'
  show 'codeh-history payload --to $P --model $M --stream | $C "$URL" | codeh-history append --from auto --echo'
done

say "The same in one command"
export CODEH_TO=anthropic CODEH_VIA="$C ${url[anthropic]}"
show 'codeh-history ask --stream -m "And at sunset?"'

say "A tool call, answered by a command"
cat > "$scratch/tools.json" <<'JSON'
[{"name": "get_weather", "description": "The weather in a city",
  "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}]
JSON
cat > "$scratch/weather" <<'SH'
#!/bin/sh
printf '{"tool": "%s", "args": %s, "sky": "clear", "celsius": 21}' "$CODEH_CALL_NAME" "$(cat)"
SH
chmod +x "$scratch/weather"
export scratch
show 'codeh-history set tools=@$scratch/tools.json'
show 'codeh-history ask -m "Use the tool: what is the weather in Paris?"'
show 'codeh-history calls'
show 'while codeh-history calls --via "$scratch/weather"; do codeh-history ask || break; done'

say "What there is now"
show 'codeh-history gc --yes > $scratch/gc # the pieces of complete answers, as many as the network made of them'
show 'codeh-history status'
show 'codeh-history show -n 6'
show 'codeh-history stats'

say "Filters compose"
show 'codeh-history append -q -m "And in Rome?"'
show 'codeh-history curate | codeh-history payload - --raw --to openai-chat --model gpt-5.1 | cut -c 1-300'

printf '\nThe session: %s\n' "$CODEH_HOME/sessions/demo.jsonl"
cat <<'END'
Try next:
  export CODEH_HOME=$PWD/.demo/home CODEH_SESSION=demo PATH=$PWD/.venv/bin:$PATH
  codeh-history show
  codeh-history undo --turn
  codeh-history payload --to gemini --pretty | less
END
