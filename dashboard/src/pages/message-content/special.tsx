// Shows a location, contacts or a poll in a message.
import { Link } from "@tanstack/react-router";
import { chatTitle, mapHref } from "../../domain/chats.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { type Message, useVotes } from "../chats/reads.ts";

export function Special({ message, id }: { message: Message; id: string }) {
  const texts = useTexts(CHATS);
  const { location, contacts } = message;
  return (
    <>
      {location !== null && (
        <p>
          <span className="font-semibold">{location.name ?? texts.types.location}</span>
          <br />
          {location.address !== null && location.address !== location.name && (
            <>
              {location.address}
              <br />
            </>
          )}
          {location.name === null && location.address === null && (
            <>
              {location.latitude}, {location.longitude}
              <br />
            </>
          )}
          <a href={mapHref(location)} target="_blank" rel="noopener noreferrer" className="underline underline-offset-2">
            {texts.map}
          </a>
        </p>
      )}
      {contacts?.map(({ full_name, phone }) => (
        <p key={`${full_name} ${phone ?? ""}`}>
          <span className="font-semibold">{full_name}</span>
          {phone !== null && (
            <>
              <br />
              {groupedPhone(phone)}
              <br />
              <Link to="/connections/$id/chats/$chat" params={{ id, chat: `${phone}@c.us` }} className="underline underline-offset-2">
                {texts.chat}
              </Link>
            </>
          )}
        </p>
      ))}
      {message.poll !== null && <Poll message={message} poll={message.poll} id={id} />}
    </>
  );
}

function Poll({ message, poll, id }: { message: Message; poll: NonNullable<Message["poll"]>; id: string }) {
  const texts = useTexts(CHATS);
  const votes = useVotes(id, message);
  return (
    <div>
      <p className="font-semibold">{poll.question}</p>
      <ul className="list-disc pl-5">
        {poll.options.map((option) => {
          const voters = votes.find((each) => each.option === option)?.voters ?? [];
          return (
            <li key={option}>
              {option}
              {voters.length > 0 && (
                <span className="block text-sm text-soft">
                  {texts.votes(voters.length)}:{" "}
                  <span className="private">
                    {voters.map((phone) => chatTitle({ kind: "direct", name: null, phone }, texts.hidden)).join(", ")}
                  </span>
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
