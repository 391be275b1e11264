internal import parley
internal import parley_unfurl
internal import parleyd

// The program that this file is called by the name of. What they share is there once.
switch CommandLine.arguments.first?.split(separator: "/").last {
case "parleyd": ParleydProgram.run()
case "parley-unfurl": ParleyUnfurlProgram.run()
default: ParleyProgram.run()
}
