// What the reader in docs/examples makes of each case that stdin has, a JSON line each.
import { createInterface } from "node:readline";

const { read } = await import(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const { log64, blocks } = JSON.parse(line);
  console.log(JSON.stringify(read(Buffer.from(log64, "base64"), new Map(Object.entries(blocks)))));
}
