# Edits a manual page that swift-argument-parser has generated, for Scripts/install. Variables: `title`, the command with
# spaces; `statuses`, the file with the exit statuses.
#
# The parts "Environment variables:" and "Examples:" of the help become sections, and a section for files is added.
# Aliases move from the name, which `whatis` searches, to the description.

function section(lines, count,   i) {
  for (i = 1; i <= count; i++) print lines[i]
}

function print_environment(   i, line) {
  if (environment_count == 0) return
  print ".Sh ENVIRONMENT"
  print ".Bl -tag -width 6n"
  for (i = 1; i <= environment_count; i++) {
    line = environment[i]
    if (match(line, /^ *TODANA_[A-Z_]+  +/) || match(line, /^ *TERM  +/)) {
      name = substr(line, 1, RLENGTH)
      gsub(/ /, "", name)
      print ".It Ev " name
    } else {
      match(line, /^ */)
    }
    print substr(line, RLENGTH + 1)
  }
  print ".El"
}

function print_files() {
  print ".Sh FILES"
  print ".Bl -tag -width 6n"
  if (title == "todana archive add") {
    print ".It Pa .todanaignore"
    print "In an archived directory: rules of gitignore for the files to exclude."
  }
  if (title == "todana archive extract") {
    print ".It Pa .todana-extract-unfinished"
    print "In a restored directory: its metadata are not complete yet. The same command, run again, completes them."
  }
  print ".It Pa keys , keys-copy"
  print "In the directory of an encrypted store or archive: its keys, wrapped under its passphrases and keys. Without one"
  print "of these files it cannot be opened."
  print ".It Pa lock"
  print "In the directory of a store or archive: the process that has it open."
  print ".It Pa *.partial"
  print "An incomplete new file or directory, which the next attempt replaces."
  print ".El"
}

function print_examples() {
  if (examples_count == 0) return
  print ".Sh EXAMPLES"
  print ".Bd -literal"
  section(examples, examples_count)
  print ".Ed"
}

# A paragraph macro is held back, because none may stand at the end of a list entry or before a section.
function hold(line) {
  if (line == ".Pp" || line == "") { held = 1; return }
  if (held && line !~ /^\.(It|Bl|El|Sh|Pp)/) print ".Pp"
  held = 0
  print line
}

/^\.Sh / { part = $0; collecting = "" }

part == ".Sh NAME" && /^\.Nm / {
  if (++names > 1) { aliases = aliases (aliases == "" ? "" : ", ") substr($0, 5); next }
  sub(/ ,$/, "")
}
part == ".Sh DESCRIPTION" && /^\.Sh/ {
  hold($0)
  if (aliases != "") {
    parent = title
    sub(/ [^ ]*$/, "", parent)
    gsub(/ ,/, "", aliases)
    print "The command is also called"
    print ".Ic " parent " " aliases "."
    print ".Pp"
  }
  next
}
part == ".Sh DESCRIPTION" && /^Environment variables:$/ { collecting = "environment"; next }
part == ".Sh DESCRIPTION" && /^Examples:$/ { collecting = "examples"; next }
collecting != "" && (/^\./ || $0 == "") { collecting = "" }
collecting == "environment" { environment[++environment_count] = $0; next }
collecting == "examples" { sub(/^  /, ""); examples[++examples_count] = $0; next }
/^\.Sh "EXIT STATUS"/ {
  print_environment()
  print_files()
  held = 0
  print
  next
}
/^\.Ex -std/ {
  while ((getline line < statuses) > 0) print line
  print_examples()
  next
}
{ hold($0) }
