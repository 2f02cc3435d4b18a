import CommandLineTool

// The buffer of a connection is 18 KiB. With the usual limit, freed buffers would stay in memory next to those of later
// connections.
await Main().main(largeAllocation: 16 << 10)
