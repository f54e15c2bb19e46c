// A reader of session files, written from docs/format.md alone: bytes in, the view out (`read`).
import { createHash } from "node:crypto";

type Json = null | boolean | number | string | Json[] | Obj;
type Obj = { [key: string]: Json };
type Rec = { data: Obj; type: string; bare: boolean };
export type Part = Obj;
export type Summary = { id: string; text: string };
export type View = {
  session: string; settings: Obj; summaries: Summary[]; messages: Message[];
  damaged: number[]; // byte offsets of lines that are no records
};
export type Message = {
  id: string; kind: string; role: "user" | "model" | null; ts: string | null;
  parts: Part[] | null; // null: nothing is committed
  pending?: Part[]; // streamed or edited since
};
type Placed = Message & { place: number; hidden: boolean; replaced: Map<number, Part | null>; after?: string };
type Covering = Summary & { covers: string[]; place: number };

const ROLES: Record<string, Message["role"]> = { user: "user", codeh: "model", tool: "user", error: null, info: null };
const NEEDS: Record<string, string> = {
  session: "", meta: "set", message: "id parts", ref: "id blockIds", open: "id", delta: "of", commit: "of", abort: "of",
  update: "id of", summary: "id summary", compaction: "id ops", clear: "id", revert: "id of", usage: "id of usage",
};
const OBJECTS = ["set", "usage", "inlineData", "fileData", "functionCall", "functionResponse", "native"];
const LISTS = ["parts", "blockIds", "ops"], TEXTS = ["text", "thoughtSignature"];
const PLACING = ["message", "ref", "open"], STREAMING = ["delta", "commit", "abort"];
const DEPTH = 240; // of objects and lists

/** What a session file means; `blocks` are the parts of the block store, by their ids. */
export function read(bytes: Uint8Array, blocks: Map<string, Part> = new Map()): View {
  const other = otherForm(bytes);
  const damaged: number[] = [];
  return view(other ?? linesOf(bytes, damaged), new Parts(blocks), damaged);
}

const has = (data: object, key: string): boolean => Object.prototype.hasOwnProperty.call(data, key);
const isText = (value: Json | undefined): value is string => typeof value === "string";
const isObject = (value: Json | undefined): value is Obj => typeof value === "object" && value !== null && !Array.isArray(value);
const fits = (name: string, value: Json | undefined): boolean =>
  LISTS.includes(name) ? Array.isArray(value) : OBJECTS.includes(name) ? isObject(value) : isText(value);
const ids = (value: Json | undefined): string[] => (Array.isArray(value) ? (value as string[]) : []);
const ops = (data: Obj): Obj[] => data.ops as Obj[];
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const bareId = (line: string, count: number): string => sha256(`${line}\0${count}`).slice(0, 20);

// -- lines and records ----------------------------------------------------------------------------------
function linesOf(bytes: Uint8Array, damaged: number[]): Rec[] {
  const records: Rec[] = [];
  const seen = new Counts();
  for (let start = 0, end; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(10, start);
    if (end < 0) end = bytes.length;
    const record = recordOf(bytes.subarray(start === 0 ? bomOf(bytes) : start, end), seen);
    if (record) records.push(record);
    else if (record === undefined) damaged.push(start);
  }
  return records;
}
const bomOf = (bytes: Uint8Array): number => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
/** The record of a line; null for a blank one, undefined for damage. */
function recordOf(line: Uint8Array, seen: Counts): Rec | null | undefined {
  if (line.every((char) => char === 32 || (char > 8 && char < 14))) return null;
  const data = parsed(line);
  if (!isObject(data) || !isSound(data, DEPTH)) return undefined;
  const bare = !has(data, "id") && (!has(data, "type") || data.type === "message") && Array.isArray(data.parts);
  const raw = decoder.decode(line).replace(/\r+$/, "");
  return checked(bare ? { ...data, type: "message", id: bareId(raw, seen.next(raw)) } : data, bare);
}
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
function parsed(bytes: Uint8Array): Json | undefined {
  try {
    return JSON.parse(decoder.decode(bytes)) as Json;
  } catch {
    return undefined; // no UTF-8, or no JSON
  }
}
const checked = (data: Obj, bare = false): Rec | undefined => (isRecord(data) ? { data, type: data.type as string, bare } : undefined);

class Counts {
  counts = new Map<string, number>();
  of = (key: string): number => this.counts.get(key) ?? 0;
  add = (key: string, more: number): unknown => this.counts.set(key, this.of(key) + more);
  next = (key: string): number => (this.add(key, 1), this.of(key) - 1);
}

/** Whether JSON.parse took nothing that is damage: numbers too large, half characters, depth. */
function isSound(value: Json, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (isText(value)) return !/\p{Surrogate}/u.test(value);
  if (value === null || typeof value === "boolean") return true;
  const inside = Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
  return depth > 0 && inside.every((item) => isSound(item, depth - 1));
}

function isRecord(data: Obj): boolean {
  if (!isText(data.type) || !has(NEEDS, data.type)) return isText(data.type); // one that is not known means nothing
  if (!NEEDS[data.type]!.split(" ").every((name) => !name || fits(name, data[name]))) return false;
  if (PLACING.includes(data.type)) return isMessage(data) && (data.type !== "ref" || areIds(data));
  if (data.type === "delta" && !hasContent(data)) return false;
  return areParts(data.parts) && areIds(data) && (data.type !== "compaction" || ops(data).every(isOp));
}
const hasContent = (data: Obj): boolean => Array.isArray(data.parts) || Array.isArray(data.blockIds);
function isMessage(data: Obj): boolean {
  const kind = data.kind ?? null;
  if ((kind !== null && !isText(kind)) || !isText(data.id) || !areParts(data.parts)) return false;
  return (kind !== null && has(ROLES, kind)) || data.role === "user" || data.role === "model";
}
const areParts = (parts: Json | undefined): boolean => (parts ?? null) === null || (Array.isArray(parts) && parts.every(isPart));
const areIds = (data: Obj): boolean =>
  ["blockIds", "covers", "ids"].every((name) => (data[name] ?? null) === null || (Array.isArray(data[name]) && ids(data[name]).every(isText)));

function isPart(part: Json): boolean {
  return isObject(part) && Object.entries(part).every(([key, value]) => {
    if (![...TEXTS, ...OBJECTS.slice(2)].includes(key)) return true;
    return fits(key, value) && (!["functionCall", "functionResponse"].includes(key) || isText((value as Obj).name));
  });
}

function isOp(op: Json): boolean {
  if (!isObject(op) || ["id", "after", "blockId"].some((name) => has(op, name) && !isText(op[name]))) return false;
  if (op.op !== "insert") return areIds(op) && (!op.with || isPart(op.with));
  return isObject(op.message) && hasContent(op.message) && isMessage({ id: "", ...op.message }) && areIds(op.message);
}

// -- parts, and what a line says --------------------------------------------------------------------------
class Parts {
  blocks: Map<string, Part>;
  names = new WeakMap<Part, string>(); // of parts that came from blocks
  constructor(blocks: Map<string, Part>) {
    this.blocks = blocks;
  }
  block(id: string): Part {
    const part = { ...(this.blocks.get(id) ?? { blockId: id }) };
    this.names.set(part, id);
    return part;
  }
  /** The content of a record or an inserted message; null where it has none. */
  of(data: Obj): Part[] | null {
    if (Array.isArray(data.parts) && data.type !== "ref") return data.parts as Part[];
    return Array.isArray(data.blockIds) ? ids(data.blockIds).map((id) => this.block(id)) : null;
  }

  hash = (part: Part): string => this.names.get(part) ?? sha256(JSON.stringify(part));
  /** Equal for lines that say the same. */
  says = (data: Obj): string =>
    sorted(data.type === "compaction" ? { ...data, ops: ops(data).map((op) => this.opSays(op)) } : this.content(data));

  content(data: Obj): Obj {
    const { flowId, parts, blockIds, spelling, idless, ...said } = data;
    const own = this.of(data);
    const message = !has(data, "type") || data.type === "message" || data.type === "ref";
    return { ...said, ...(own && { blockIds: own.map(this.hash) }), ...(message && { type: "message", kind: kindOf(data) }) };
  }

  opSays(op: Obj): Obj {
    if (op.op === "insert") return { ...op, message: this.content(op.message as Obj) };
    const { with: part, ...said } = op;
    return op.op === "replace" && isObject(part) ? { ...said, blockId: this.hash(part) } : op;
  }
}

function sorted(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${sorted(value[key]!)}`).join()}}`;
}

function kindOf({ kind, role, parts }: Obj): string {
  if (isText(kind) && has(ROLES, kind)) return kind;
  if (role === "model") return "codeh";
  return Array.isArray(parts) && parts.some((part) => has(part as Obj, "functionResponse")) ? "tool" : "user";
}

const inRange = (ts: number): boolean => ts >= -62135596800000 && ts <= 253402300799999; // of years 1 to 9999
const time = (ts: Json | undefined): string | null =>
  typeof ts === "number" ? (inRange(ts) ? new Date(Math.trunc(ts)).toISOString() : null) : isText(ts) ? ts : null;
const ownId = ({ data, type }: Rec): string | null => (isText(data.id) && type !== "session" ? data.id : null);
const insertedId = (data: Obj, number: number): string =>
  ((ops(data)[number]!.message as Obj).id as string) || `${data.id}.${number}`;

function brought(record: Rec): string[] {
  const own = ownId(record);
  const inside = (record.type === "compaction" ? ops(record.data) : []).map((op, number) =>
    op.op === "insert" ? insertedId(record.data, number) : op.op === "summarize" ? `${own}.${number}` : null);
  return [...new Set([own, ...inside])].filter((id) => id !== null);
}

// -- which lines count (rules 1 and 8) ----------------------------------------------------------------------
function undone(records: Rec[], parts: Parts): Set<number> {
  const before = new Counts(); // lines of each id
  const reach = new Map<string, number>(); // how many lines a revert takes back
  for (const record of records) {
    const says = record.type === "revert" ? parts.says(record.data) : "";
    reach.set(says, reach.get(says) ?? before.of(record.data.of as string));
    before.add(ownId(record) ?? "\0none", 1);
  }
  const dead = new Set<number>();
  const from = new Map<string, number>(); // of each id: its lines from here on are taken back
  for (const [place, record] of [...records.entries()].reverse()) {
    const id = ownId(record) ?? "\0none";
    before.add(id, -1);
    if (before.of(id) >= (from.get(id) ?? Infinity)) dead.add(place);
    else if (record.type === "revert") {
      const of = record.data.of as string;
      const first = before.of(of) - reach.get(parts.says(record.data))!;
      from.set(of, Math.min(first, from.get(of) ?? first));
    }
  }
  return dead;
}

function repeats(records: Rec[], dead: Set<number>, parts: Parts): Set<number> {
  const times = new Counts();
  records.flatMap(brought).forEach((id) => times.next(id));
  const often = (id: string): boolean => times.of(id) > 1;
  const live = new Set<string>();
  const streamed = new Map<string, Counts>(); // into each id, by content
  const copying = new Map<string, Counts>(); // of each id: what the copy that is being read has repeated
  const isCopy = (record: Rec, place: number): boolean => {
    const of = record.data.of as string;
    const isStreamed = STREAMING.includes(record.type);
    const isLive = !dead.has(place);
    const about = isStreamed ? [of] : brought(isLive ? record : { ...record, type: "" });
    if (!about.some(often) || record.bare) return false;
    const says = parts.says(record.data);
    if (isStreamed) {
      const before = streamed.get(of) ?? new Counts();
      const copy = copying.get(of);
      const again = copy !== undefined && copy.of(says) < before.of(says);
      if (!again) copying.delete(of), streamed.set(of, before); // new content ends the copy
      (again ? copy : before).add(says, 1);
      return again;
    }
    const again = isLive && live.has(says);
    about.forEach((id) => (again || !isLive ? copying.set(id, new Counts()) : copying.delete(id)));
    if (isLive) live.add(says);
    return again;
  };
  return new Set(records.flatMap((record, place) => (isCopy(record, place) ? [place] : [])));
}

// -- the view (rules 2 to 7) ----------------------------------------------------------------------------------
function view(records: Rec[], parts: Parts, damaged: number[]): View {
  const dead = undone(records, parts);
  const copies = repeats(records, dead, parts);
  const all = new Map<string, Placed>();
  const edited = new Map<string, Placed>(); // by the ids of updates
  const inserted = new Map<string, Placed[]>(); // by what they stand after
  const settings: Obj = {};
  const compactions: { data: Obj; place: number }[] = [];
  let session: string | undefined, cleared = -1, summaries: Covering[] = [];
  for (const [place, { data, type }] of records.entries()) {
    if (dead.has(place) || copies.has(place)) continue;
    const id = data.id as string;
    const message = all.get(data.of as string) ?? edited.get(data.of as string);
    if (type === "session") session ??= isText(data.id) ? data.id : "";
    else if (type === "meta") Object.assign(settings, data.set);
    else if (PLACING.includes(type)) {
      const found = placed(all, data, place);
      if (type === "open") found.pending = [];
      else found.parts = parts.of(data);
    } else if (type === "delta" && message?.pending) message.pending = joined(message.pending, parts.of(data) ?? []);
    else if (type === "commit" && message?.pending) {
      message.parts = parts.of(data) ?? message.pending;
      delete message.pending;
    } else if (type === "update" && message) {
      message.pending = parts.of(data) ?? [];
      edited.set(id, message);
    } else if (type === "summary") summaries.push({ id, text: data.summary as string, covers: ids(data.covers), place });
    else if (type === "clear") cleared = place;
    else if (type === "compaction") compactions.push({ data, place }), insert(data, place);
  }
  function insert(data: Obj, place: number): void {
    const fresh = new Map<string, Placed[]>();
    for (const [number, op] of ops(data).entries()) {
      if (op.op !== "insert" || all.has(insertedId(data, number))) continue;
      const message = placed(all, { ...(op.message as Obj), id: insertedId(data, number) }, place);
      message.parts = parts.of(op.message as Obj);
      message.after = String(op.after ?? null);
      fresh.set(message.after, [...(fresh.get(message.after) ?? []), message]);
    }
    for (const [after, messages] of fresh) inserted.set(after, [...messages, ...(inserted.get(after) ?? [])]);
  }
  const hide = (hidden: string[], before: number): void => {
    for (const id of hidden) if (all.has(id) && all.get(id)!.place <= before) all.get(id)!.hidden = true;
  };
  hide([...all.keys()], cleared - 1);
  summaries = summaries.filter((summary) => summary.place > cleared);
  for (const { data, place } of compactions.filter((each) => each.place > cleared)) {
    for (const [number, op] of ops(data).entries()) {
      const message = all.get(op.id as string), part = op.part as number;
      if (op.op === "drop" || op.op === "summarize") hide(ids(op.ids), place);
      if (op.op === "summarize" && isText(op.summary))
        summaries.push({ id: `${data.id}.${number}`, text: op.summary, covers: ids(op.ids), place });
      const own = op.op === "replace" && typeof part === "number" ? message?.parts?.[part] : undefined;
      if (own && parts.hash(own) === op.block)
        message!.replaced.set(part, isObject(op.with) ? op.with : isText(op.blockId) ? parts.block(op.blockId) : null);
    }
  }
  for (const { covers, place } of summaries) hide(covers, place);
  const messages: Message[] = [];
  const show = (message: Placed, under: boolean): void => {
    const { place, hidden, replaced, after, parts: own, ...shown } = message;
    const left = own?.map((part, number) => (replaced.has(number) ? replaced.get(number)! : part)).filter((part) => part !== null);
    const gone = under || hidden || (own?.length && !left!.length && !message.pending);
    if (!gone) messages.push({ ...shown, parts: left ?? null });
    for (const child of inserted.get(message.id) ?? []) show(child, Boolean(gone));
  };
  for (const message of all.values()) if (message.after === undefined) show(message, false);
  return { session: session ?? "", settings, summaries: arranged(summaries, all), messages, damaged };
}

/** The message of an id: new at this place, or the one that stands at its first. */
function placed(all: Map<string, Placed>, data: Obj, place: number): Placed {
  const kind = kindOf(data);
  const fresh: Placed = { id: data.id as string, kind, role: null, ts: time(data.ts), parts: null, place, hidden: false, replaced: new Map() };
  const message = all.get(fresh.id) ?? fresh;
  delete message.pending;
  all.set(fresh.id, Object.assign(message, { kind, role: ROLES[kind] }));
  return message;
}

function joined(pending: Part[], more: Part[]): Part[] {
  const plain = (part: Part | undefined): part is Part => isText(part?.text) && Object.keys(part!).every((key) => key === "text" || key === "thought");
  return more.reduce((all, part) => {
    const last = all.at(-1);
    if (!plain(last) || !plain(part) || Boolean(last.thought) !== Boolean(part.thought)) return [...all, part];
    return [...all.slice(0, -1), { ...last, text: `${last.text}${part.text}` }];
  }, pending);
}

function arranged(summaries: Covering[], all: Map<string, Placed>): Summary[] {
  const known = new Map(summaries.map((summary) => [summary.id, summary]));
  const first = (id: string, seen: Set<string>): number => {
    if (all.has(id)) return all.get(id)!.place;
    return seen.has(id) || !known.has(id) ? Infinity : Math.min(...known.get(id)!.covers.map((other) => first(other, seen.add(id))));
  };
  const start = ({ id, place, covers }: Covering): number => {
    const found = Math.min(...covers.map((other) => first(other, new Set([id]))));
    return Number.isFinite(found) ? found : place;
  };
  const covered = new Set(summaries.flatMap(({ id, covers, place }) =>
    covers.filter((other) => other !== id && known.has(other) && known.get(other)!.place <= place)));
  return summaries.filter(({ id }) => !covered.has(id)).sort((a, b) => start(a) - start(b) || a.place - b.place).map(({ id, text }) => ({ id, text }));
}

// -- other forms ----------------------------------------------------------------------------------------------
/** The records that a file of another form stands for; null for a log. */
function otherForm(bytes: Uint8Array): Rec[] | null {
  const value = parsed(bytes.subarray(bomOf(bytes))), seen = new Counts();
  const inner = (value: Json, depth = 3): Obj | undefined => !depth || !isObject(value) ? undefined
    : has(value, "recentConversations") ? value : Object.values(value).map((field) => inner(field, depth - 1)).find(Boolean);
  const isRef = (item: Json | undefined): boolean => isObject(item) && Array.isArray(item.blockIds ?? item.blockKeys);
  const isExchange = (item: Json): boolean => isObject(item) && has(item, "userMessage") && has(item, "assistantResponse");
  const refs = (items: Json[]): (Rec | undefined)[] => items.map((item, number) => {
    if (!isObject(item) || !isRef(item)) return undefined;
    const role = ["model", "assistant"].includes(item.role as string) ? "model" : "user";
    return checked({ type: "ref", id: bareId(JSON.stringify(item), number), role, blockIds: (item.blockIds ?? item.blockKeys)! });
  });
  const content = (item: Json): Rec | undefined => {
    const raw = JSON.stringify(item), id = bareId(raw, seen.next(raw));
    if (!isObject(item)) return undefined;
    const role = item.role === "assistant" ? "model" : item.role ?? null;
    return checked({ type: "message", id, ...item, ...(!has(item, "parts") && isText(item.content) && { role, parts: [{ text: item.content }] }) });
  };
  const found = isObject(value)
    ? Array.isArray(value.refs) ? [checked({ type: "meta", set: { "x-refs": { ...value, refs: [] } } }), ...refs(value.refs)] : inner(value) ? history(inner(value)!, seen) : null
    : !Array.isArray(value) ? null : isRef(value[0]) ? refs(value)
    : value.some(isExchange) ? history({ recentConversations: value }, seen) : value.map(content);
  return found && found.filter((record) => record !== undefined);
}

function history(value: Obj, seen: Counts): (Rec | undefined)[] {
  const taken = new Set<string>();
  const idOf = (item: Obj): string => {
    const raw = JSON.stringify(item), count = seen.next(raw), own = item.id;
    const id = isText(own) && own && !taken.has(own) && !taken.has(`${own}-answer`) ? own : bareId(raw, count);
    return taken.add(id).add(`${id}-answer`), id;
  };
  const list = (items: Json | undefined): Obj[] => (Array.isArray(items) ? items : [items ?? null]).filter(isObject);
  const summaries = list(value.summaries).filter((item) => isText(item.summary));
  const found = summaries.map((item) => checked({ type: "summary", id: idOf(item), summary: item.summary! }));
  const { recentConversations, summaries: _, lastSummarized: last, ...others } = value;
  if (isText(last) && last && !summaries.some((item) => item.createdAt === last)) found.push(checked({ type: "meta", set: { lastSummarized: last } }));
  if (Object.keys(others).length) found.push(checked({ type: "meta", set: { "x-persisted": others } }));
  for (const item of list(recentConversations)) {
    const { userMessage: asked = null, assistantResponse: answered = null, timestamp, toolsUsed: tools } = item;
    if (![asked, answered].some(isText) || [asked, answered].some((text) => text !== null && !isText(text))) continue;
    const id = idOf(item);
    const ts = isText(timestamp) ? !Number.isNaN(Date.parse(timestamp)) : Number.isInteger(timestamp) && (timestamp as number) >= 1e11;
    const message = (own: string, kind: string, text: Json): Rec | undefined =>
      checked({ type: "message", id: own, kind, ts: ts ? timestamp! : null, parts: [{ text: text ?? "" }] });
    found.push(message(id, "user", asked));
    if (answered !== null || (Array.isArray(tools) && tools.length && tools.every(isText))) found.push(message(`${id}-answer`, "codeh", answered));
  }
  return found;
}
