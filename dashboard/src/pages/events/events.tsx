export function Events() {
  return <h1>Events</h1>;
}
