/** A message id nobody has used, in the form that the network's own web client makes. */
export function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `3EB0${[...bytes]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase()}`;
}
