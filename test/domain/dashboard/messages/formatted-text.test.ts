// A message's text is shown with its links and with the formats of phones.
import { expect, it } from "vitest";
import { plainText, splitText } from "#root/dashboard/src/domain/messages/formatted-text.ts";

it("the addresses of a text are links, without the punctuation around them", () => {
  const links = (text: string) => splitText(text).flatMap(({ href }) => href ?? []);
  expect(links("Veja https://loja.example/a?b=1, ou (http://b.example/c).")).toEqual(["https://loja.example/a?b=1", "http://b.example/c"]);
  expect(links("https://pt.wikipedia.org/wiki/Ilha_(geografia)")).toEqual(["https://pt.wikipedia.org/wiki/Ilha_(geografia)"]);
  expect(links("Https://a.example e www.b.example/c.")).toEqual(["Https://a.example", "https://www.b.example/c"]);
  expect(links("www. www... xwww.a.example")).toEqual([]);
  expect(links("javascript:alert(1) https:// data:text/html,x mailto:a@b.example")).toEqual([]);
  const text = "antes https://a.example depois";
  expect([
    splitText(text)
      .map((part) => part.text)
      .join(""),
    splitText(""),
  ]).toEqual([text, []]);
});

it("a link before many dots is found without stalling the page", () => {
  const [link] = splitText(`http://a${".".repeat(65_000)}x`);
  expect(link?.href).toBe("http://a");
});

/** The text with its marks as HTML elements. */
const html = (text: string) =>
  splitText(text)
    .map(({ text: part, href, marks }) =>
      marks.reduceRight((inner, mark) => `<${mark}>${inner}</${mark}>`, href === null ? part : `[${part}]`),
    )
    .join("");

it("marks around words are bold, italic, struck or code", () => {
  expect(html("*Urgente*, _por favor_: ~R$ 30~ `PIX`!")).toBe(
    "<strong>Urgente</strong>, <em>por favor</em>: <s>R$ 30</s> <code>PIX</code>!",
  );
  expect(html("*a* e *b c*\n(_d_)")).toBe("<strong>a</strong> e <strong>b c</strong>\n(<em>d</em>)");
  expect(html("*É _já_ ~não~*")).toBe("<strong>É </strong><strong><em>já</em></strong><strong> </strong><strong><s>não</s></strong>");
  expect(html("**pedido**")).toBe("*<strong>pedido</strong>*");
  expect(html("`*a* https://a.example` *b*")).toBe("<code>*a* https://a.example</code> <strong>b</strong>");
  expect(html("antes ```um\n*dois*``` depois")).toBe("antes <code>um\n*dois*</code> depois");
});

it("marks inside words, beside spaces, alone or on two lines stay as they are", () => {
  for (const plain of [
    "2*3*4",
    "nome_do_arquivo",
    "a * b * c",
    "* um",
    "*um *",
    "*um\ndois*",
    "**",
    "***",
    "_",
    "5~6",
    "`",
    "``````",
    "*a*b",
  ])
    expect(html(plain)).toBe(plain);
});

it("marks do not change a link, and a marked link stays a link", () => {
  expect(html("https://a.example/_x_/*y* e *www.b.example*")).toBe("[https://a.example/_x_/*y]* e <strong>[www.b.example]</strong>");
  expect(html("*veja https://a.example/a*b*")).toBe("<strong>veja </strong><strong>[https://a.example/a*b]</strong>");
});

it("a long text of unfinished marks is split", () => {
  const unfinished = " *a _b ~c `d".repeat(5_000);
  expect(html(unfinished)).toBe(unfinished);
});

it("a line of a list has no marks, and names the people whom it mentions", () => {
  const nameOf = (phone: string) => ({ "5511900000001": "Ana" })[phone];
  expect(plainText("*Oi* @5511900000001, _veja_ https://a.example/@5511900000001 e `@5511900000001`", nameOf)).toBe(
    "Oi @Ana, veja https://a.example/@5511900000001 e @5511900000001",
  );
  expect(plainText("2 * 3 e @5511900000002, @55119000000010", nameOf)).toBe("2 * 3 e @5511900000002, @55119000000010");
});
