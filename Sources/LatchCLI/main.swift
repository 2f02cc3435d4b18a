import CommandLineTool

await Main().main()
