// The chats page derives the right facts from ids, typed texts and statuses.
import { expect, it } from "vitest";
import { duration, loudness } from "#root/dashboard/src/domain/audio.ts";
import { chatTitle, phoneOfChat } from "#root/dashboard/src/domain/chats.ts";
import { asOne, withAlbums } from "#root/dashboard/src/domain/messages/albums.ts";
import { authorOf } from "#root/dashboard/src/domain/messages/author.ts";
import { fileName } from "#root/dashboard/src/domain/messages/file-name.ts";
import { ownReaction, withOwnReaction } from "#root/dashboard/src/domain/messages/own-reaction.ts";
import { isPicture, kindOfFile } from "#root/dashboard/src/domain/messages/chosen-files.ts";
import { callOfSend, leftToSend, mayEdit, outcomeOf, putBack, typedOptions, typedPlace } from "#root/dashboard/src/domain/sends.ts";
import { withFiles } from "#root/dashboard/src/pages/composer/attaching.ts";
import { webHost } from "#root/dashboard/src/domain/web-host.ts";
import { MESSAGE_STATUSES } from "@gateway/protocol/records.ts";

const HIDDEN = { direct: "Número oculto", group: "Grupo", channel: "Canal" };

it("a chat's title never shows a hidden id as a phone", () => {
  const title = (name: string | null, phone: string | null) => chatTitle({ kind: "direct", name, phone }, HIDDEN);
  expect([title("Ana", "5511900000002"), title(null, "5511900000002"), title("", null), title(null, null)]).toEqual([
    "Ana",
    "+55 11 90000-0002",
    "Número oculto",
    "Número oculto",
  ]);
  const ids = ["5511900000002@c.us", "123456789012345@lid", "120363000000000000@g.us", "status@broadcast"];
  expect(ids.map(phoneOfChat)).toEqual(["5511900000002", null, null, null]);
});

it("a photo that is dropped among documents is not one of them", () => {
  const [document, photo] = [new File([], "a.pdf"), new File([], "b.jpg")];
  const attaching = withFiles({ files: [document], documents: [document] }, [photo]);
  expect(attaching).toEqual({ files: [document, photo], documents: [document] });
});

it("the author of a message from before the pairing, which has no name, is named by phone", () => {
  const author = (push_name: string | null, from: string | null) => authorOf({ push_name, from }, HIDDEN);
  expect([author("Ana", "5511900000002"), author(null, "5511900000002"), author(null, null)]).toEqual([
    "Ana",
    "+55 11 90000-0002",
    "Número oculto",
  ]);
});

it("a typed place is read as maps give it", () => {
  expect(typedPlace("-23.5614, -46.6559")).toEqual({ latitude: -23.5614, longitude: -46.6559 });
  expect(typedPlace("0;180")).toEqual({ latitude: 0, longitude: 180 });
  for (const link of [
    "geo:-23.5614,-46.6559?z=17",
    "https://www.google.com/maps/place/MASP/@-23.55,-46.64,17z/data=!3m1!4b1!4m6!3m5!8m2!3d-23.5614!4d-46.6559!16s",
    "https://maps.google.com/?q=-23.5614,-46.6559",
    "https://www.google.com/maps/search/?api=1&query=-23.5614%2C-46.6559",
    "https://www.google.com/maps/@-23.5614,-46.6559,17z",
    "https://www.openstreetmap.org/?mlat=-23.5614&mlon=-46.6559#map=17/-23.5/-46.6",
    "https://www.openstreetmap.org/#map=17/-23.5614/-46.6559",
  ])
    expect([link, typedPlace(link)]).toEqual([link, { latitude: -23.5614, longitude: -46.6559 }]);
  for (const wrong of ["", "91, 0", "0, 181", "-23,5614 -46,6559 1", "aqui", "https://maps.app.goo.gl/abc", "javascript:x@1,2"])
    expect([wrong, typedPlace(wrong)]).toEqual([wrong, null]);
});

it("a poll takes 2 to 12 different options", () => {
  expect(typedOptions(" Terça \n\nQuinta\n")).toEqual(["Terça", "Quinta"]);
  for (const wrong of ["Terça", "a\na", Array.from({ length: 13 }, (_, at) => `o${at}`).join("\n")]) expect(typedOptions(wrong)).toBeNull();
});

it("an own sent text can be edited for 15 minutes", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  const message = { from_me: true, type: "text", at: "2026-11-22T11:45:01Z", deleted_at: null, status: "sent" };
  const changes = [
    { at: "2026-11-22T11:45:00Z" },
    { from_me: false },
    { type: "image" },
    { deleted_at: message.at },
    { status: "pending" },
  ];
  expect(mayEdit(message, now)).toBe(true);
  for (const change of changes) expect([change, mayEdit({ ...message, ...change }, now)]).toEqual([change, false]);
});

it("an uncertain send is settled only by a status of the network", () => {
  expect(Object.fromEntries([null, ...MESSAGE_STATUSES].map((status) => [String(status), outcomeOf(status)]))).toEqual({
    null: null,
    pending: null,
    sent: "sent",
    delivered: "sent",
    read: "sent",
    played: "sent",
    failed: "failed",
  });
});

it("a send is shown as a call of the Connection API", () => {
  expect(callOfSend("https://a.example", { kind: "text", chat_id: "1@c.us", text: "Oi", quoted_message_id: "ABC" })).toEqual({
    method: "POST",
    url: "https://a.example/api/v1/messages/text",
    body: { chat_id: "1@c.us", text: "Oi", quoted_message_id: "ABC" },
  });
});

it("text typed after a sent text stays in the field", () => {
  expect(leftToSend("Um", "Um")).toBe("");
  expect(leftToSend("Um\n dois", "Um")).toBe("dois");
  expect(leftToSend("Outra coisa", "Um")).toBe("Outra coisa");
  expect(putBack("Um", " ")).toBe("Um");
  expect(putBack("Um", "dois")).toBe("Um\ndois");
});

it("a chosen file is sent as a type that phones can show", () => {
  const kinds = ["image/png", "image/webp", "image/svg+xml", "video/mp4", "application/pdf", ""].map(kindOfFile);
  expect(kinds).toEqual(["image", "image", "document", "video", "document", "document"]);
  const photos = [
    { name: "IMG_2041.HEIC", type: "" },
    { name: "foto", type: "image/avif" },
    { name: "heic.pdf", type: "application/pdf" },
  ];
  expect(photos.map(isPicture)).toEqual([true, true, false]);
});

it("a sound is drawn by its loudness, and its length is written in minutes", () => {
  expect(loudness(new Float32Array([0.5, -0.5, 0, 0, 0.25, 0.25]), 3)).toEqual([1, 0, 0.5]);
  expect(loudness(new Float32Array(0), 2)).toEqual([0, 0]);
  expect([0, 7.4, 59.6, 750].map(duration)).toEqual(["0:00", "0:07", "1:00", "12:30"]);
});

it("a link names the host of a web page, and of nothing else", () => {
  expect(["https://loja.example/a", "http://user@loja.example:8080", "https://аpple.example"].map(webHost)).toEqual([
    "loja.example",
    "loja.example:8080",
    "xn--pple-43d.example",
  ]);
  expect(["javascript:alert(1)", "data:text/html,x", "//loja.example", ""].map(webHost)).toEqual([null, null, null, null]);
});

it("a file without a name is saved under its kind and time", () => {
  const at = new Date(2026, 10, 30, 6, 49).toISOString();
  const named = (type: string, mimetype: string, filename: string | null = null) =>
    fileName({ type, at, media: { mimetype, filename } }, { image: "Imagem" });
  expect([
    named("image", "image/jpeg"),
    named("voice", "audio/ogg; codecs=opus"),
    named("x", "application/vnd.ms-excel"),
    named("document", "application/pdf", "a.pdf"),
  ]).toEqual(["Imagem 2026-11-30 06-49.jpg", "voice 2026-11-30 06-49.ogg", "x 2026-11-30 06-49", "a.pdf"]);
});

it("a change of the own reaction leaves the others as they are", () => {
  const [ana, own] = [
    { from_me: false, from: "5511900000002", reaction: "👏" },
    { from_me: true, from: null, reaction: "👍" },
  ];
  expect(withOwnReaction([own, ana], "❤️")).toEqual([ana, { ...own, reaction: "❤️" }]);
  expect([withOwnReaction([ana], "👍"), withOwnReaction([ana, own], "")]).toEqual([[ana, own], [ana]]);
  expect([ownReaction([ana, own]), ownReaction([ana])]).toEqual(["👍", undefined]);
});

const PHOTO = {
  from_me: true,
  from: null,
  push_name: null,
  type: "image",
  text: null as string | null,
  media: { stored: true },
  quoted: null as object | null,
  reactions: [] as { reaction: string }[],
  forwarded: false,
  starred: false,
  source: "dashboard",
  status: "read" as "read" | "sent",
  deleted_at: null as string | null,
};

it("at least three photos in a row are an album, unless something is to be shown beside one of them or a minute is between them", () => {
  const photo = (message_id: string, seconds: number, more: Partial<typeof PHOTO> = {}) => ({
    ...PHOTO,
    message_id,
    at: new Date(seconds * 1_000).toISOString(),
    ...more,
  });
  const albums = (more: Partial<typeof PHOTO>, at = 40, firstNew?: string) =>
    withAlbums([photo("a", 0), photo("b", 10), photo("c", 20), photo("d", at, more), photo("e", at), photo("f", at)], firstNew).map((run) =>
      run.map(({ message_id }) => message_id).join(""),
    );
  expect([albums({}), albums({}, 80), albums({}, 81)]).toEqual([["abcdef"], ["abcdef"], ["abc", "def"]]);
  for (const halves of [albums({ text: "Azul" }), albums({ quoted: {} }), albums({}, 40, "d")]) expect(halves).toEqual(["abc", "def"]);
  for (const alone of [{ type: "video" }, { media: { stored: false } }, { deleted_at: "now" }, { from_me: false }])
    expect(albums(alone)).toEqual(["abc", "d", "e", "f"]);
});

it("an album has the lowest status, all reactions, the first photo's text and the last one's id and time", () => {
  const first: typeof PHOTO & { message_id: string; at: string } = {
    ...PHOTO,
    message_id: "a",
    at: "2026-11-30T09:00:00Z",
    text: "Chegaram",
    starred: true,
  };
  const second: typeof first = { ...PHOTO, message_id: "b", at: "2026-11-30T09:00:05Z", status: "sent", reactions: [{ reaction: "👍" }] };
  expect(asOne(first, [first, second])).toMatchObject({
    message_id: "b",
    at: second.at,
    text: "Chegaram",
    status: "sent",
    starred: true,
    reactions: [{ reaction: "👍" }],
  });
});
