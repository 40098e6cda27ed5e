export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
