// Uses the client in docs/examples as a program would; prints what it got.
const { History } = await import(process.argv[2]);
const history = new History(JSON.parse(process.argv[3]));
const sessions = ["a", "b", "c"];
const texts = await Promise.all(
  sessions.map(async (session) => {
    for (const text of ["1", "2", "- 3"]) await history.run(["append", "-s", session, "-m", text]);
    return (await history.run(["last", session])).stdout;
  }),
);
const missing = await history.run(["last", "nowhere"]);
const piped = await history.run(["append", "-s", "d", "-F", "-"], { stdin: "grüße" });
const ending = new AbortController();
let streamed = "";
const cancelled = await history.run(["ask", "-s", "a", "-m", "x", "--to", "text", "--via", "echo streamed; sleep 60"], {
  signal: ending.signal,
  onEvent: ({ event, data }) => {
    if (event === "stdout") {
      streamed += data;
      ending.abort();
    }
  },
});
const code = await history.close();
const after = await history.run(["list"]).catch((error) => error.message);
console.log(JSON.stringify({ texts, missing: missing.code, piped: piped.code, streamed, cancelled: cancelled.code, code, after }));
