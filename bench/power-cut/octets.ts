// The content of a file that is written to at places: grows with zeros, as files do.

export class Octets {
  #room: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Not a copy: it changes with what is written next. */
  bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  copy(): Octets {
    const copied = new Octets();
    copied.write(0, this.#room.subarray(0, this.#length));
    return copied;
  }

  write(offset: number, data: Uint8Array): void {
    this.reach(offset + data.length);
    this.#room.set(data, offset);
  }

  /** At least so many octets: what was not written reads as zeros. */
  reach(length: number): void {
    if (length > this.#room.length) {
      const room = Buffer.alloc(Math.max(length, 2 * this.#room.length));
      room.set(this.#room.subarray(0, this.#length));
      this.#room = room;
    }
    this.#length = Math.max(this.#length, length);
  }

  resize(length: number): void {
    if (length < this.#length) this.#room.fill(0, length, this.#length);
    this.reach(length);
    this.#length = length;
  }
}
