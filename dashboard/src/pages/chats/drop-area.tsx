import { type ReactNode, useState } from "react";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

/** Takes files that are dropped anywhere on the chat. Without `onFiles`, none are taken. */
export function DropArea({ onFiles, children }: { onFiles: ((files: readonly File[]) => void) | null; children: ReactNode }) {
  const texts = useTexts(CHATS);
  const [isOver, setOver] = useState(false);
  return (
    <section
      className="relative flex h-full min-w-0 flex-col bg-surface"
      onDragOver={(event) => {
        if (onFiles === null || !event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        onFiles?.([...event.dataTransfer.files]);
      }}
    >
      {isOver && (
        <p className="pointer-events-none absolute inset-2 z-[2] grid place-items-center rounded-lg border-2 border-dashed border-accent bg-own text-lg font-semibold">
          {texts.drop}
        </p>
      )}
      {children}
    </section>
  );
}
