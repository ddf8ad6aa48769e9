-- Neovim opens an example by the recipe of tools/editors, waits for the findings, applies a fix and prints both.
local function fail(words)
  io.stdout:write("FAILED " .. words .. "\n")
  vim.cmd("cquit 1")
end

vim.cmd("luafile " .. vim.env.REPO .. "/tools/editors/neovim.lua")
vim.cmd("filetype on")
vim.cmd("edit before.yaml")
vim.bo.filetype = "yaml"
local function findings() return vim.diagnostic.get(0) end
if not vim.wait(20000, function() return #findings() > 0 end, 50) then fail("no findings in 20 s") end
local function code_of(d) return d.code or d.user_data.lsp.code end
for _, d in ipairs(findings()) do
  io.stdout:write(string.format("%d:%d: %s %s\n", d.lnum + 1, d.col + 1, code_of(d), vim.split(d.message, "\n")[1]))
end

local line = vim.fn.search("name: tenant$") - 1
local params = {
  textDocument = {uri = vim.uri_from_bufnr(0)},
  range = {start = {line = line, character = 10}, ["end"] = {line = line, character = 12}},
  context = {diagnostics = {}},
}
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 20000)
for _, answer in pairs(answers or {}) do
  for _, action in ipairs(answer.result or {}) do
    io.stdout:write("action " .. action.title .. "\n")
  end
  local edit = answer.result and answer.result[1] and answer.result[1].edit
  if not edit then fail("no fix") end
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
end
io.stdout:write(vim.fn.getline(line + 1) .. "\n")
local function is_fixed()
  for _, d in ipairs(findings()) do
    if code_of(d) == "APF101" then return false end
  end
  return true
end
if not vim.wait(20000, is_fixed, 50) then fail("the finding stays after its fix") end
vim.cmd("qall!")
