// The menu of attachments for a message.
import { Braces, FileText, Image, ListChecks, MapPin, Paperclip } from "lucide-react";
import { type ChangeEvent, useRef } from "react";
import { Menu } from "../../ui/menu.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useMissingFeatures } from "./reads.ts";

export type Attaching = { kind: "location" | "poll" | "call" } | { kind: "image" | "video" | "document"; file: File };

type Props = {
  id: string;
  /** Hides attachments that cannot wait for the connection. */
  offline: boolean;
  /** Filters out files that are too large. It is a prop, because importing it would load its module together with this menu. */
  sendable: (files: readonly File[], tooLarge: (name: string, size: string) => string) => File[];
  onChoose: (attaching: Attaching) => void;
};

export function Attach({ id, offline, sendable, onChoose }: Props) {
  const texts = useTexts(CHATS);
  const missing = useMissingFeatures(id);
  const pictures = useRef<HTMLInputElement>(null);
  const documents = useRef<HTMLInputElement>(null);
  const take = (event: ChangeEvent<HTMLInputElement>, kindOf: (file: File) => "image" | "video" | "document") => {
    const [file] = sendable([...(event.currentTarget.files ?? [])], texts.tooLarge);
    event.currentTarget.value = "";
    if (file !== undefined) onChoose({ kind: kindOf(file), file });
  };
  return (
    <>
      <Menu
        label={<Paperclip size={18} aria-hidden />}
        name={texts.attach}
        kind="quiet"
        bare
        className="w-11 shrink-0 !px-0 pointer-fine:w-9"
        items={[
          { label: texts.attachImage, icon: Image, onSelect: () => pictures.current?.click() },
          { label: texts.attachDocument, icon: FileText, onSelect: () => documents.current?.click() },
          ...(offline ? [] : [{ label: texts.attachLocation, icon: MapPin, onSelect: () => onChoose({ kind: "location" }) }]),
          ...(offline || missing.includes("poll")
            ? []
            : [{ label: texts.attachPoll, icon: ListChecks, onSelect: () => onChoose({ kind: "poll" }) }]),
          { label: texts.call, icon: Braces, onSelect: () => onChoose({ kind: "call" }) },
        ]}
      />
      <input
        ref={pictures}
        type="file"
        hidden
        aria-label={texts.attachImage}
        accept="image/jpeg,image/png,image/webp,video/*"
        onChange={(event) => take(event, ({ type }) => (type.startsWith("video/") ? "video" : "image"))}
      />
      <input ref={documents} type="file" hidden aria-label={texts.attachDocument} onChange={(event) => take(event, () => "document")} />
    </>
  );
}
