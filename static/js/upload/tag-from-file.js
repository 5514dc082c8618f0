// The run tag of a file: the last column of its first line where the browser can read that, else by the file's name.
const HEAD = 1 << 16;
const COLUMNS = 6;

export function tagOfName(name) {
  return name.replace(/\.gz$/i, "").replace(/\.(txt|run|res)$/i, "");
}

async function head(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] !== 0x1f || start[1] !== 0x8b) return file.slice(0, HEAD).arrayBuffer();
  const reader = file.slice(0, HEAD).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const { value } = await reader.read(); // the rest is cut off on purpose and never asked for
  reader.cancel().catch(() => {});
  return value;
}

function tagOfText(text) {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const first = lines.find((line) => line.trim() !== "" && !line.startsWith("#"));
  const columns = first?.trim().split(/\s+/) ?? [];
  return columns.length === COLUMNS ? columns[COLUMNS - 1] : "";
}

export async function suggestTag(file) {
  try {
    const text = new TextDecoder("utf-8", { fatal: false }).decode(await head(file));
    const tag = text.includes("\0") ? "" : tagOfText(text);
    if (tag !== "" && tag.length <= 60) return tag;
  } catch { // a damaged gzip, or a browser that cannot unpack: the name has to do
  }
  return tagOfName(file.name);
}
