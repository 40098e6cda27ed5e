import { FileText } from "lucide-react";
import type { ShownMessage } from "test-network/phone/views.ts";
import { locale, useLanguage } from "../../src/texts/language.ts";
import { change } from "../network/control.ts";
import { base64Of, sizeText } from "../network/files.ts";
import { fieldOf, useAction } from "../network/action.ts";
import { Button } from "../../src/ui/button.tsx";
import { TextField } from "../../src/ui/forms/field.tsx";
import { Sheet } from "../widgets/sheet.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

/** All other file types are sent as documents. */
const KINDS: ReadonlyArray<readonly [type: "image" | "video" | "audio", mimetype: RegExp]> = [
  ["image", /^image\/(png|jpeg|gif|webp)$/],
  ["video", /^video\//],
  ["audio", /^audio\//],
];

type SendOf = { phone: string; chatId: string; file: File; quoted: ShownMessage | null; onClose: () => void };

export function SendFile({ phone, chatId, file, quoted, onClose }: SendOf) {
  const w = usePhoneTexts();
  const act = useAction();
  const language = locale(useLanguage());
  const type = KINDS.find(([, mimetype]) => mimetype.test(file.type))?.[0] ?? "document";
  const send = async (form: FormData): Promise<void> => {
    const caption = fieldOf(form, "caption");
    const sent = await act(async () => {
      const media = { base64: await base64Of(file), mimetype: file.type || "application/octet-stream", filename: file.name };
      const body = { chat_id: chatId, type, media, ...(caption !== "" && { caption }), ...(quoted && { quoted_id: quoted.message_id }) };
      return change(phone, "POST", "/send", body);
    });
    if (sent !== undefined) onClose();
  };
  return (
    <Sheet title={type === "document" ? w.content.document : w.content[type]} onClose={onClose}>
      <form action={send} className="space-y-4">
        <Preview file={file} type={type} />
        <p className="text-sm wrap-anywhere text-soft">
          {file.name}, {sizeText(file.size, language)}
        </p>
        {type !== "audio" && <TextField label={w.thread.caption} name="caption" maxLength={4096} />}
        <Button type="submit" kind="primary" className="w-full">
          {w.thread.send}
        </Button>
      </form>
    </Sheet>
  );
}

function Preview({ file, type }: { file: File; type: "image" | "video" | "audio" | "document" }) {
  const show = (element: HTMLImageElement | HTMLMediaElement | null): (() => void) => {
    const address = URL.createObjectURL(file);
    if (element !== null) element.src = address;
    return () => URL.revokeObjectURL(address);
  };
  if (type === "document") return <FileText aria-hidden="true" className="mx-auto size-16 text-soft" />;
  if (type === "image") return <img ref={show} alt={file.name} className="mx-auto max-h-64 rounded-md object-contain" />;
  if (type === "video") return <video ref={show} controls className="max-h-64 w-full rounded-md bg-black" />;
  return <audio ref={show} controls className="w-full" />;
}
