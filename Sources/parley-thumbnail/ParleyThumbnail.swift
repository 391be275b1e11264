internal import CRelease
internal import CLinux
internal import Glibc
internal import Thumbnails

/// Makes thumbnails of one file in a process that has sandboxed itself.
///
/// Started by the gateway for each file; see ``HelperCommand`` for its descriptors.
@main
enum ParleyThumbnail {
  private static let name = "parley-thumbnail"

  static func main() {
    if CommandLine.arguments.dropFirst().elementsEqual(["--version"]) {
      print("parley \(String(cString: crelease_version()))")
      return
    }
    guard let command = HelperCommand(arguments: Array(CommandLine.arguments.dropFirst())) else {
      Report.write("\(name): it is started by parleyd, with arguments of its own")
      exit(EX_USAGE)
    }
    // No byte of the file is read before all walls are set up.
    let walls = Walls(around: command)
    guard walls.isSufficient(for: command) else {
      Report.write("\(name): the walls that are required cannot be raised: \(walls.summary)")
      exit(EX_OSERR)
    }
    let programs = ProgramRunner(filtersCalls: walls.filtersCalls)
    switch command.task {
    case .probe: Probe(command, programs).run(walls)
    case .thumbnails(let boxes): exit(Work(command, programs).make(boxes).exitStatus)
    }
  }
}

/// The report on standard error.
enum Report {
  static func write(_ line: HelperReport.Line) { write(line.text) }

  static func write(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}
