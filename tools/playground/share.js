// What is on the page as a part of its address, behind the #: browsers send that to nobody.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export async function to_fragment(state) {
  const bytes = await through(JSON.stringify(state), new CompressionStream('deflate-raw'));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// Null: it is none.
export async function from_fragment(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'))));
    return Object.fromEntries(Object.entries(state).filter(([, value]) => typeof value === 'string'));
  } catch {
    return null;
  }
}
