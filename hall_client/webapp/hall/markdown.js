// Help pages: headings, lists, tables, code, bold. Text only ever becomes text nodes.

import { html } from "@hall/ui";

export function markdown(source) {
  return source.replaceAll("\r", "").split(/\n{2,}/).filter(Boolean).map(block);
}

function block(text, at) {
  const heading = /^(#{1,4})\s+(.*)$/s.exec(text);
  const lines = text.split("\n");
  if (heading) {
    const [first, ...rest] = lines;
    const level = Math.min(5, /^#+/.exec(first)[0].length + 2);
    return html`<${`h${level}`}>${inline(first.replace(/^#+\s+/, ""))}</${`h${level}`}>
      ${rest.length ? block(rest.join("\n"), at) : ""}`;
  }
  if (lines.every((line) => line.startsWith("|"))) return table(lines);
  if (/^\s*[-*]\s/.test(text)) return html`<ul>${items(text, /^\s*[-*]\s+/).map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
  if (/^\s*\d+\.\s/.test(text)) return html`<ol>${items(text, /^\s*\d+\.\s+/).map((item) => html`<li>${inline(item)}</li>`)}</ol>`;
  if (text.startsWith("```") || text.startsWith("    ")) return html`<pre>${text.replaceAll("```", "")}</pre>`;
  return html`<p>${inline(text)}</p>`;
}

// A line without a mark of its own goes on with the item before it.
function items(text, mark) {
  const out = [];
  for (const line of text.split("\n")) {
    if (mark.test(line)) out.push(line.replace(mark, ""));
    else out[out.length - 1] += ` ${line.trim()}`;
  }
  return out;
}

function table(lines) {
  const cells = (line) => line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const rows = lines.filter((line) => !/^\|[\s:|-]+\|?$/.test(line)).map(cells);
  const [head, ...body] = rows;
  return html`<table><thead><tr>${head.map((cell) => html`<th>${inline(cell)}</th>`)}</tr></thead>
    <tbody>${body.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody></table>`;
}

const inline = (text) =>
  text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**")) return html`<b>${part.slice(2, -2)}</b>`;
    if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`;
    return part;
  });
