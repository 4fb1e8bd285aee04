/** Loads every entry point by its public name; the page's title becomes what the names are. */
import { startSimulation } from 'escapement';
import { createLossyLink } from 'escapement/net';
import { GpuSprites } from 'escapement/pixi';
import { openView } from 'escapement/render';
import { defineSimulation } from 'escapement/sim';
import { createBlendedColumns } from 'escapement/webgl';

const doors = [
  startSimulation,
  defineSimulation,
  openView,
  createLossyLink,
  createBlendedColumns,
  GpuSprites,
];
document.title = doors.map((it) => typeof it).join(' ');
