// The tag that a run's file suggests, as campaign/formats/runs/tags.py finds it; one table of cases tests both.
const HEAD_BYTES = 1 << 16;
const COLUMNS = 6;
const LONGEST_TAG = 60;

function tagOfFileName(name) {
  return name.replace(/(?<=.)\.gz$/i, "").replace(/(?<=.)\.(txt|run|res)$/i, "");
}

async function head(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] !== 0x1f || start[1] !== 0x8b) return file.slice(0, HEAD_BYTES).arrayBuffer();
  const reader = file.slice(0, HEAD_BYTES).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const { value } = await reader.read(); // the rest is cut off on purpose and never asked for
  reader.cancel().catch(() => {});
  return value;
}

function tagOfText(text) {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const first = lines.find((line) => /[^ \t\r\v\f]/.test(line) && !line.startsWith("#")) ?? "";
  const columns = first.split(/[ \t\r\v\f]+/).filter((column) => column !== "");
  const tag = columns.length === COLUMNS ? columns[COLUMNS - 1] : "";
  return tag.length <= LONGEST_TAG && !text.includes("\0") ? tag : "";
}

export async function suggestTag(file) {
  let text = "";
  try {
    text = new TextDecoder("utf-8").decode(await head(file));
  } catch { // a damaged gzip, or a browser that cannot unpack: the name has to do
  }
  return tagOfText(text) || tagOfFileName(file.name);
}
