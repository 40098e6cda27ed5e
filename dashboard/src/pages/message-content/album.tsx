// Several photos as a square of tiles. A tile opens its photo on the whole screen, which leads to the others.
import { useNavigate } from "@tanstack/react-router";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Message } from "../chats/reads.ts";
import { fileAddress } from "./file-address.ts";

const TILES = 4;

export function Album({ id, photos, className }: { id: string; photos: readonly Message[]; className: string }) {
  const texts = useTexts(CHATS);
  const navigate = useNavigate();
  const more = photos.length - TILES;
  return (
    <ul
      aria-label={texts.photo.album(photos.length)}
      style={{ gridTemplateRows: "repeat(2, minmax(0, 1fr))" }}
      className={`private grid grid-cols-2 gap-0.5 ${className}`}
    >
      {photos.slice(0, TILES).map((photo, place) => (
        // The first of three photos is as wide as the others together.
        <li key={photo.message_id} style={photos.length < TILES && place === 0 ? { gridColumn: "span 2" } : {}}>
          <button
            type="button"
            title={texts.photo.open}
            onClick={() => void navigate({ to: ".", search: true, state: { photo: photo.message_id }, resetScroll: false })}
            className="relative size-full overflow-hidden rounded-md bg-tint focus-visible:-outline-offset-2"
          >
            <img
              src={fileAddress(id, photo)}
              alt={`${texts.file.image}, ${texts.photo.of(place + 1, photos.length)}`}
              loading="lazy"
              className="size-full object-cover"
            />
            {more > 0 && place === TILES - 1 && (
              <span
                className="absolute inset-0 grid place-items-center text-2xl font-semibold text-white"
                style={{ background: "rgb(0 0 0 / 0.55)" }}
              >
                +{more}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
