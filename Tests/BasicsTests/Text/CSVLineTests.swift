import Basics
import TestSupport
import Testing

@Suite("CSV")
struct CSVLineTests {
  private func line(_ cells: [String], _ delimiter: Character = ",") -> String {
    var line = CSVLine(delimiter: delimiter)
    for cell in cells { line.append(cell) }
    line.end()
    return String(decoding: line.bytes, as: UTF8.self)
  }

  @Test("cells are separated, quoted where they must be, and lines end as RFC 4180 says")
  func examples() {
    #expect(line(["a", "", "b c"]) == "a,,b c\r\n")
    #expect(line(["a,b", "say \"x\"", "one\ntwo"]) == "\"a,b\",\"say \"\"x\"\"\",\"one\ntwo\"\r\n")
    #expect(line(["a,b", "a;b"], ";") == "a,b;\"a;b\"\r\n")
    #expect(line([""]) == "\r\n")
    var mixed = CSVLine(delimiter: "|")
    mixed.append(-5)
    mixed.append(true)
    mixed.end()
    #expect(String(decoding: mixed.bytes, as: UTF8.self) == "-5|true\r\n")
  }

  @Test("a text that begins like a formula gets an apostrophe")
  func formulas() {
    for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
      let cell = line([text]).dropLast(1)
      #expect(cell.hasPrefix("'") || cell.hasPrefix("\"'"), "\(text)")
    }
    #expect(line([" =1"]) == " =1\r\n")
  }

  @Test("whatever texts say, as many cells with the same contents are read back")
  func roundTrip() {
    var random = SystemRandomNumberGenerator()
    let parts = [
      "a", "\"", ",", ";", "|", "\t", "\r", "\n", "=", "+", "-", "@", "'", "é", "👍", " ",
    ]
    for _ in 0..<2_000 {
      let cells = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        (0..<Int.random(in: 0...6, using: &random))
          .compactMap { _ in parts.randomElement(using: &random) }.joined()
      }
      for delimiter in CSVLine.delimiters {
        let text = line(cells, delimiter)
        let read = parse(text, delimiter)
        let expected = cells.map { cell in
          cell.utf8.first.map { "=+-@\t\r".utf8.contains($0) } == true ? "'" + cell : cell
        }
        #expect(read.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(text)")
      }
    }
  }

  /// Reads one line, as RFC 4180 says.
  private func parse(_ text: String, _ delimiter: Character) -> [String] {
    var cells: [String] = []
    var cell = String.UnicodeScalarView()
    var isQuoted = false
    var scalars = Array(text.unicodeScalars.dropLast(2))[...]
    while let scalar = scalars.popFirst() {
      if isQuoted {
        if scalar == "\"" {
          if scalars.first == "\"" {
            cell.append(scalars.removeFirst())
          } else {
            isQuoted = false
          }
        } else {
          cell.append(scalar)
        }
      } else if scalar == "\"" {
        isQuoted = true
      } else if Character(scalar) == delimiter {
        cells.append(String(cell))
        cell = String.UnicodeScalarView()
      } else {
        cell.append(scalar)
      }
    }
    cells.append(String(cell))
    return cells
  }
}
