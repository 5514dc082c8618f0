// The tag that a run's file suggests, as campaign/formats/runs/tags.py finds it; one table of cases tests both.
const HEAD_BYTES = 1 << 16;
const COLUMNS = 6;
const LONGEST_TAG = 60;
// Lines that may stand before those of a run; names of columns whose last is a text say that no tag stands below them.
const HEAD = /^(#|<SYSDESC>|\S+[ \t]+\S+[ \t]+\S+[ \t]+rank[ \t]+\S+[ \t]+(?!((query|topic)([-_.]?text)?|text|title)[ \t\r]*$))/i;
const SCORE = /^[+-]?([0-9.,]*[0-9.](e[+-]?[0-9]+)?|nan|inf(inity)?|0x[0-9a-f.]+(p[+-]?[0-9]+)?)$/i;
const SHIFTED = /^\S+ q?0 \S+ (?![+-]?[0-9])\S+ [0-9]+ [+-]?[0-9]*\.[0-9]+(e[+-]?[0-9]+)?$/i; // rank and score behind a passage

function tagOfFileName(name) {
  return name.replace(/(?<=.)\.gz$/i, "").replace(/(?<=.)\.(txt|run|res)$/i, "");
}

async function head(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const slice = file.slice(0, HEAD_BYTES);
  if (start[0] === 0x1f && start[1] === 0x8b) return unpackedHead(slice);
  const mark = (start[0] << 8) + start[1];
  const encoding = { 0xfffe: "utf-16le", 0xfeff: "utf-16be" }[mark] ?? "utf-8";
  return { text: new TextDecoder(encoding).decode(await slice.arrayBuffer()), isWhole: file.size < HEAD_BYTES };
}

async function unpackedHead(slice) {
  const reader = slice.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder("utf-8");
  let [text, count, isWhole] = ["", 0, false];
  try {
    while (count < HEAD_BYTES && !isWhole) {
      const { value, done } = await reader.read();
      if (value) text += decoder.decode(value.subarray(0, HEAD_BYTES - count), { stream: true });
      count += value?.length ?? 0;
      isWhole = done;
    }
  } catch { // a damaged file, or one that goes on after its head: what was read before counts
  }
  reader.cancel().catch(() => {});
  return { text, isWhole };
}

function withoutDescription(text) {
  const start = text.search(/(?:^|\n)<SYSDESC>/i);
  const end = start < 0 ? null : /<\/SYSDESC>([^\n]*)/i.exec(text.slice(start));
  const isClosed = end !== null && !/[^ \t\r\v\f]/.test(end[1]);
  return isClosed ? text.slice(0, start) + text.slice(start + end.index + end[0].length) : text;
}

function tagOfText({ text, isWhole }) {
  const lines = withoutDescription(text.replace(/^\ufeff/, "")).split("\n");
  if (!isWhole) lines.pop(); // the end of the last line may be missing, and with it a part of the tag
  const first = lines.find((line) => /[^ \t\r\v\f]/.test(line) && !HEAD.test(line)) ?? "";
  const columns = first.split(/[ \t\r\v\f]+/).filter((column) => column !== "");
  const isRun = columns.length === COLUMNS && SCORE.test(columns[4]) && !SHIFTED.test(columns.join(" "));
  const tag = isRun ? columns[COLUMNS - 1] : "";
  return tag.length <= LONGEST_TAG && !text.includes("\0") ? tag : "";
}

// What ir_metadata at the head of a file say of how the run was made: of YAML only plain values on their line are read.
export async function suggestDetails(file) {
  let text = "";
  try {
    ({ text } = await head(file));
  } catch { // a file that cannot be read, or a browser that cannot unpack: nothing is suggested
    return {};
  }
  const block = /^#[ \t]*ir_metadata\.start[^\n]*\n([\s\S]*?)^#[ \t]*ir_metadata\.end/m.exec(text)?.[1] ?? "";
  const value = (key) => {
    const found = new RegExp(`^#[ \\t]+${key}:[ \\t]*([^\\s|>{[][^\\n\\r]*)`, "m").exec(block)?.[1].trim() ?? "";
    return found.replace(/^(["'])(.*)\1$/, "$2");
  };
  const kind = { true: "automatic", false: "manual" }[value("automatic").toLowerCase()];
  return { ...(kind && { kind }), ...(value("description") && { description: value("description") }) };
}

export async function suggestTag(file) {
  let tag = "";
  try {
    tag = tagOfText(await head(file));
  } catch { // a file that cannot be read, or a browser that cannot unpack: the name has to do
  }
  return tag || tagOfFileName(file.name);
}
