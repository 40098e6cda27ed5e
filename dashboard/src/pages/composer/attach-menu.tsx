// The menu of attachments for a message.
import { Braces, Camera, FileText, Image, ListChecks, MapPin, Paperclip, UserRound } from "lucide-react";
import { type ChangeEvent, useRef } from "react";
import { Menu } from "../../ui/menu.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Attaching } from "./attaching.ts";
import { useMissingFeatures } from "../chats/reads.ts";

type Props = {
  id: string;
  /** Hides attachments that cannot wait for the connection. */
  offline: boolean;
  onChoose: (attaching: Attaching) => void;
};

export function Attach({ id, offline, onChoose }: Props) {
  const texts = useTexts(CHATS);
  const missing = useMissingFeatures(id);
  const pictures = useRef<HTMLInputElement>(null);
  const documents = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const isTouch = matchMedia("(pointer: coarse)").matches;
  const take = ({ currentTarget }: ChangeEvent<HTMLInputElement>, asDocuments: boolean) => {
    const files = [...(currentTarget.files ?? [])];
    currentTarget.value = "";
    if (files.length > 0) onChoose(asDocuments ? { files, documents: files } : { files });
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
          // On a computer, it would open the same dialog as the next item.
          ...(isTouch ? [{ label: texts.attachCamera, icon: Camera, onSelect: () => camera.current?.click() }] : []),
          { label: texts.attachImage, icon: Image, onSelect: () => pictures.current?.click() },
          { label: texts.attachDocument, icon: FileText, onSelect: () => documents.current?.click() },
          ...(offline ? [] : [{ label: texts.attachLocation, icon: MapPin, onSelect: () => onChoose({ kind: "location" }) }]),
          ...(offline ? [] : [{ label: texts.types.contact, icon: UserRound, onSelect: () => onChoose({ kind: "contact" }) }]),
          ...(offline || missing.includes("poll")
            ? []
            : [{ label: texts.attachPoll, icon: ListChecks, onSelect: () => onChoose({ kind: "poll" }) }]),
          { label: texts.call, icon: Braces, onSelect: () => onChoose({ kind: "call" }) },
        ]}
      />
      <input
        ref={pictures}
        type="file"
        multiple
        hidden
        aria-label={texts.attachImage}
        accept="image/jpeg,image/png,image/webp,video/*"
        onChange={(event) => take(event, false)}
      />
      {isTouch && (
        <input
          ref={camera}
          type="file"
          hidden
          aria-label={texts.attachCamera}
          accept="image/*"
          capture="environment"
          onChange={(event) => take(event, false)}
        />
      )}
      <input ref={documents} type="file" multiple hidden aria-label={texts.attachDocument} onChange={(event) => take(event, true)} />
    </>
  );
}
