export function Statistics() {
  return <h1>Statistics</h1>;
}
